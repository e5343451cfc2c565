// Adjusts Codespeed's plots to our data, through the hook that jqPlot offers for that.
(function () {
  "use strict";

  const THREE_DAYS = 3 * 24 * 60 * 60 * 1000;

  // Codespeed writes days on the time axis; a new dashboard has runs of one day only.
  function showHours(lines, options) {
    const axis = options.axes && options.axes.xaxis;
    if (!axis || axis.label !== "Commit date") {
      return;
    }
    axis.label = "Start of the run (UTC)";
    const times = lines.flat().map((point) => Date.parse(point[0]));
    if (Math.max(...times) - Math.min(...times) < THREE_DAYS) {
      axis.tickOptions = { ...axis.tickOptions, formatString: "%b %d %H:%M" };
    }
  }

  // Inside the plot, the legend would hide the bars. Below it there is room for short labels.
  function moveLegendBelowBars(options) {
    const renderer = options.seriesDefaults && options.seriesDefaults.renderer;
    if (!renderer || renderer !== $.jqplot.BarRenderer) {
      return;
    }
    for (const series of options.series) {
      series.label = series.label.replace(" latest in branch 'master'", "");
    }
    if (options.legend.xoffset === undefined) {
      options.legend = { ...options.legend, location: "s", placement: "outsideGrid" };
    }
  }

  $(function () {
    if ($.jqplot) {
      $.jqplot.preInitHooks.push(function (_target, lines, options) {
        showHours(lines, options);
        moveLegendBelowBars(options);
      });
    }
  });
})();
