# SPDX-License-Identifier: Apache-2.0
#
# Draws Figure 8.4 from the counts of count.sh:
#   gnuplot -e "csv='misses.csv'; svg='misses.svg'" perf/conflict_misses/draw.gp
set datafile separator ','
set terminal svg size 900,380 font 'sans-serif,12' background '#ffffff'
set output svg
set grid ytics linecolor rgb '#dddddd'
set xtics nomirror
set ytics nomirror
set border 3
set xlabel 'n'
set yrange [0:]
set key top left
set multiplot layout 1,2
do for [level = 1:2] {
  set title sprintf('Reads that miss the %s level, per multiply-add', level == 1 ? 'first' : 'second')
  plot for [order in 'ijk ikj'] sprintf('< grep ^%s, "%s"', order, csv) using 2:(column(5 + level) / column(4)) \
    with linespoints linewidth 1.5 pointtype 7 pointsize 0.4 title order
}
unset multiplot
