/** The dashboard's page: draws what the extension tells it, and tells the extension which button was pressed. */
import type { DashboardData } from '../../../core/statistics/dashboard_data';
import { button, element } from './elements';
import {
  delaySection,
  keySection,
  memorySection,
  requestSection,
  type Section,
  speedSection,
  usageSection,
} from './figures';
import { machineSection } from './machine_section';
import { isHostMessage, type PageMessage } from './messages';
import { wholeText } from './numbers';
import { SectionView } from './section_view';

declare function acquireVsCodeApi(): { postMessage(message: PageMessage): void };

const host = acquireVsCodeApi();
const tell = (type: PageMessage['type']): void => host.postMessage({ type });

const model = element('p', { class: 'note' }, 'Loading…');
const note = element('p', { role: 'status', class: 'status' });
const measure = button('Measure This Machine', () => tell('measure'));
const sections = element('div', { class: 'sections' });
const views = new Map<string, SectionView>();
const narrow = window.matchMedia('(max-width: 32em)');
let last: DashboardData | undefined;

document.querySelector('#dashboard')?.append(
  element('h1', {}, 'What Emberline does on this machine'),
  model,
  element(
    'div',
    { class: 'buttons', role: 'group', 'aria-label': 'Actions' },
    measure,
    button('Export as JSON…', () => tell('export')),
    button('Delete the Counts…', () => tell('clear')),
  ),
  note,
  sections,
);

function sectionsOf(data: DashboardData): Section[] {
  const all = [
    keySection(data),
    requestSection(data),
    speedSection(data),
    usageSection(data),
    machineSection(data),
    memorySection(data),
    delaySection(data),
  ];
  return all.filter((section) => section !== undefined);
}

function show(data: DashboardData, again = false): void {
  last = data;
  const { model: loaded } = data;
  model.textContent =
    loaded === undefined
      ? 'No model is loaded.'
      : `${loaded.name}, ${wholeText(loaded.parameters / 1e6)}M parameters, ${loaded.quantization}, on ${loaded.device}. All numbers stay on this machine.`;
  for (const section of sectionsOf(data)) {
    let view = views.get(section.id);
    if (view === undefined) {
      view = new SectionView(section);
      views.set(section.id, view);
      sections.append(view.root);
    }
    view.show(section, again, narrow.matches);
  }
}

window.addEventListener('message', ({ data: message }: MessageEvent<unknown>) => {
  if (!isHostMessage(message)) return;
  if (message.type === 'data') {
    show(message.data);
    return;
  }
  note.textContent = message.text;
  // Not `disabled`, which would take the focus away.
  measure.setAttribute('aria-disabled', String(message.measuring));
});

function drawAgain(): void {
  if (last !== undefined) show(last, true);
}

narrow.addEventListener('change', drawAgain);
// VS Code names the theme there.
new MutationObserver(drawAgain).observe(document.body, {
  attributes: true,
  attributeFilter: ['class', 'data-vscode-theme-id'],
});

tell('ready');
