# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Several processes read ranges of a table, and find what one process finds: agents have the same numbers and names.
# shellcheck source=tests/mpi/processes.sh
source "$TAPER_SOURCE/tests/mpi/processes.sh"

# said: the last output, without what one process or several alone say.
said() {
  grep -v -e '^engine' -e '^traffic' -e 'order of the file (set' -e 'with --report json' out
}

# alike NUMBERS FILE OPTIONS...: each of these numbers of processes must match the table as one process does.
alike() {
  local numbers=$1 file=$2 number
  shift 2
  expect 0 "" match "$file" -o one.txt "$@"
  said >one
  for number in $numbers; do
    in_processes "$number" 0 "" match "$file" -o several.txt "$@"
    check cmp one.txt several.txt
    check cmp one <(said)
  done
}

# fails WORDS FILE: one process and three must fail with WORDS, in one line.
fails() {
  expect 2 "$1" match "$2"
  one_line
  in_processes 3 2 "$1" match "$2"
  one_line
}

# Lists that are together, with seats in rows of their own; and rows in any order, so that each resident is in several
# processes.
expect 0 "" generate residents scores 400 30 --seats 360 --list-length 6 --key-classes 20 -o m.csv
alike "2 4" m.csv
alike 3 m.csv --lottery multiple
{
  head -n 1 m.csv
  tail -n +2 m.csv | awk -F, '{ print (NR * 7919) % 10007 "," $0 }' | sort -n | cut -d, -f2-
} >mixed.csv
alike "3 4" mixed.csv
expect 0 "" match mixed.csv -o mixed.txt --mechanism immediate_acceptance
expect 1 "not stable" verify mixed.csv mixed.txt --limit 1000
cp out one
in_processes 4 1 "not stable" verify mixed.csv mixed.txt --limit 1000
check cmp one out

# Scores, ties of residents, comments, CR LF, quotes, empty lists, names in several rows, and no line end at the end.
printf '# market\r\nstudent,school,rank,score,seats\r\n"B, b",North,1,3.5,2\r\nAda,"Sou""th",2,1,\r\n\r\n' >s.csv
printf 'Ada,North,1,4,\r\n,East,,,1\r\n# more\r\nCy,,,,\r\nB\xc3\xa9,East,1,2,\r\nB\xc3\xa9,North,1,-0,2\r\n' >>s.csv
printf '"B, b",East,2,0,\r\nDi,East,1,3.5,1\r\nDi,"Sou""th",2,9,1' >>s.csv
alike "2 3 4" s.csv
alike 4 s.csv --scores lower
alike 3 s.csv --columns rank=score,score=rank
cp s.csv s.table
alike 2 s.table --format csv

# A row per resident.
printf 'student;choice1;choice2;choice3\nAda;X;Y;\nBen;Y;;\nCy;X;Z;Y\nDi;;;\nEd;Z;X;\n' >c.csv
alike "2 4" c.csv
printf 'student,choice1\n' >empty.csv
alike 3 empty.csv

# More processes than rows.
printf 'student,school,rank\nAda,X,1\n' >one_row.csv
alike 4 one_row.csv

# Errors of a row, of a list whose rows are in several processes, and of seats.
printf 'Ed;X;;\n' >>c.csv
fails "c.csv:7: student: 'Ed' appears twice (first on line 6)" c.csv
printf 'Ada;X;;\n' >>c.csv
{ sed '$d' c.csv | sed '$d'; printf 'Ada;X;;\n'; } >d.csv
fails "d.csv:7: student: 'Ada' appears twice (first on line 2)" d.csv
{ cat m.csv; printf '399,29,x,5\n'; } >bad.csv
fails "bad.csv:$(wc -l <bad.csv): rank: expected a number, found 'x'" bad.csv
printf 'student,school,rank\nAda,X,1\nBen,X,1\nCy,Y,1\nDi,Y,1\nEd,Y,1\nAda,X,2\n' >twice.csv
fails "twice.csv:7: student, list of 'Ada': 'X' appears twice (first on line 2)" twice.csv
printf 'student,school,rank,seats\nAda,X,1,2\nBen,X,1,\nCy,Y,1,\nDi,Y,1,\nEd,Y,1,\nFi,X,1,3\n' >seats.csv
fails "seats.csv:7: 'X' has 3 seats, and 2 in seats.csv:2" seats.csv
fails "nowhere.csv: cannot be opened: No such file or directory" nowhere.csv
printf 'a,b\n1,2\n' >titles.csv
fails "titles.csv" titles.csv
: >nothing.csv
in_processes 3 2 "taper match: nothing.csv: expected a line of column titles" match nothing.csv
one_line
gzip -c m.csv >z.csv
in_processes 3 2 "taper match: z.csv: expected a table without compression" match z.csv
one_line
printf 'student,school,rank\rAda,X,1\rBen,X,1\r' >cr.csv
in_processes 2 2 "cr.csv: expected lines that end with LF or CR LF" match cr.csv
one_line
in_processes 2 2 "--seats is for one process" match m.csv --seats s.csv
one_line
in_processes 2 2 "expected one table (CSV)" match m.csv s.csv
one_line
in_processes 2 2 "taper match: several processes cannot read the standard input: name a file" match -
one_line

verdict
