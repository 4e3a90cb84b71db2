/** A part of the page: its sentence, its chart, and the same numbers as a table for whoever does not see the chart. It stays where it is while its numbers change. */
import { ChartView } from './chart_view';
import { element } from './elements';
import type { Section, TableFigure } from './figures';

export class SectionView {
  readonly root: HTMLElement;
  private readonly summary = element('p', { class: 'summary' });
  private readonly facts = element('dl');
  private readonly chart: ChartView;
  private readonly details = element('details');
  private readonly scroller: HTMLElement;
  private shown = '';

  constructor({ id, title, note }: Section) {
    const heading = `${id}-title`;
    this.chart = new ChartView(id);
    this.scroller = element('div', {
      class: 'scroller',
      tabindex: '0',
      role: 'region',
      'aria-label': `${title}: table`,
    });
    this.details.append(element('summary', {}, `${title} as a table`), this.scroller);
    this.root = element(
      'section',
      { id, 'aria-labelledby': heading },
      element('h2', { id: heading }, title),
      this.summary,
      this.facts,
      this.chart.root,
      ...(note === undefined ? [] : [element('p', { class: 'note' }, note)]),
      this.details,
    );
  }

  /**
   * @param again Draws also what did not change: colours did.
   * @param narrow There is little room beside a chart.
   */
  show(section: Section, again: boolean, narrow: boolean): void {
    const now = JSON.stringify(section);
    if (now === this.shown && !again) return;
    this.shown = now;
    const { title, summary, facts = [], chart, table } = section;
    this.summary.textContent = summary;
    this.facts.hidden = facts.length === 0;
    this.facts.replaceChildren(
      ...facts.map(([name, value]) => element('div', {}, element('dt', {}, name), element('dd', {}, value))),
    );
    this.chart.show(chart, `${title}. ${summary}`, narrow);
    this.details.hidden = table === undefined || table.rows.length === 0;
    this.scroller.replaceChildren(...(table === undefined ? [] : [tableOf(table, title)]));
  }
}

/** More than a word or two would be a tower in a narrow column. */
const SENTENCE_UNITS = 24;

function cellOf(text: string): HTMLTableCellElement {
  return element('td', text.length > SENTENCE_UNITS ? { class: 'sentence' } : {}, text);
}

function tableOf({ head, rows }: TableFigure, title: string): HTMLTableElement {
  const heads = head.map((text) => element('th', { scope: 'col' }, text));
  const lines = rows.map(([name = '', ...cells]) =>
    element('tr', {}, element('th', { scope: 'row' }, name), ...cells.map(cellOf)),
  );
  return element(
    'table',
    {},
    element('caption', {}, title),
    element('thead', {}, element('tr', {}, ...heads)),
    element('tbody', {}, ...lines),
  );
}
