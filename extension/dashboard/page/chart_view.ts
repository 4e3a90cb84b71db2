/** Draws a chart with Chart.js, in the theme's colours. Nothing moves. */
import {
  BarController,
  BarElement,
  CategoryScale,
  Chart,
  type ChartConfiguration,
  Legend,
  LinearScale,
  Tooltip,
} from 'chart.js';
import { element } from './elements';
import type { ChartFigure, Colour } from './figures';

Chart.register(BarController, BarElement, CategoryScale, LinearScale, Legend, Tooltip);

/** What a row of bars takes, in the page's font sizes. */
const ROW_EM = 1.9;
/** Of the axis, and of the legend on a narrow page. */
const AROUND_EM = 8;
const COLUMNS_EM = 18;

export class ChartView {
  readonly root: HTMLElement;
  private readonly canvas: HTMLCanvasElement;
  private chart: Chart | undefined;

  constructor(id: string) {
    this.canvas = element('canvas', { role: 'img', id: `${id}-chart` });
    this.root = element('div', { class: 'chart' }, this.canvas);
  }

  /** @param words What it shows, for who does not see it. */
  show(figure: ChartFigure | undefined, words: string): void {
    this.chart?.destroy();
    this.chart = undefined;
    this.root.hidden = figure === undefined;
    if (figure === undefined) return;
    this.canvas.setAttribute('aria-label', words);
    const em = figure.kind === 'rows' ? AROUND_EM + ROW_EM * rowsOf(figure) : COLUMNS_EM;
    this.root.style.setProperty('height', `${em}em`);
    this.chart = new Chart(this.canvas, configurationOf(figure));
  }
}

function rowsOf({ labels, series, unstacked }: ChartFigure): number {
  return labels.length * (unstacked === true ? series.length * 0.7 : 1);
}

function configurationOf(figure: ChartFigure): ChartConfiguration<'bar', number[], string> {
  const { kind, labels, series, unit, axis, unstacked = false } = figure;
  const style = getComputedStyle(document.body);
  const foreground = style.color;
  const font = { family: style.fontFamily, size: parseFloat(style.fontSize) * 0.95 };
  const line = variable(
    style,
    '--vscode-contrastBorder',
    variable(style, '--vscode-editor-background', 'Canvas'),
  );
  const grid = variable(style, '--vscode-charts-lines', foreground);
  const named = (text: string): object => ({ display: true, text, color: foreground, font });
  const ticks = { color: foreground, font };
  const category = {
    stacked: !unstacked,
    ticks: { ...ticks, autoSkip: kind === 'columns' },
    grid: { display: false },
  };
  const amount = {
    stacked: !unstacked,
    beginAtZero: true,
    ticks: { ...ticks, precision: 0, maxTicksLimit: 6 },
    grid: { color: grid },
    title: named(unit),
  };
  const rows = kind === 'rows';
  return {
    type: 'bar',
    data: {
      labels: [...labels],
      datasets: series.map(({ name, colour, values }) => ({
        label: name,
        data: [...values],
        backgroundColor: colourOf(style, colour),
        borderColor: line,
        borderWidth: 1,
        maxBarThickness: 2 * font.size,
      })),
    },
    options: {
      indexAxis: rows ? 'y' : 'x',
      animation: false,
      responsive: true,
      maintainAspectRatio: false,
      scales: rows ? { y: category, x: amount } : { x: { ...category, title: named(axis) }, y: amount },
      plugins: {
        legend: {
          display: series.length > 1,
          position: 'bottom',
          labels: { color: foreground, font, boxWidth: font.size },
        },
        tooltip: { animation: false },
      },
    },
  };
}

/** VS Code has a colour for each but grey. */
function colourOf(style: CSSStyleDeclaration, colour: Colour): string {
  if (colour === 'grey') return variable(style, '--vscode-disabledForeground', 'GrayText');
  return variable(style, `--vscode-charts-${colour}`, colour);
}

function variable(style: CSSStyleDeclaration, name: string, otherwise: string): string {
  const value = style.getPropertyValue(name).trim();
  return value === '' ? otherwise : value;
}
