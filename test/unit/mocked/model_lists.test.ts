/** The lists of models, as an editor shows them that speaks German. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { Appraisal } from '../../../core/models/appraisal';
import { CATALOGUE } from '../../../core/models/catalogue';
import { ModelDownloads } from '../../../extension/models/model_downloads';
import { pickModel } from '../../../extension/models/model_picker';

interface Item {
  readonly label: string;
  readonly choice?: Readonly<Record<string, string>>;
  readonly detail?: string;
}

interface Editor {
  german: Readonly<Record<string, string>>;
  items: readonly Item[];
  picker: Picker | undefined;
}

const editor = vi.hoisted((): Editor => ({ german: {}, items: [], picker: undefined }));

vi.mock('vscode', async () => {
  const { l10n } = await import('../vscode_stub');
  return {
    l10n: { t: (text: string, ...given: string[]) => l10n.t(editor.german[text] ?? text, ...given) },
    QuickPickItemKind: { Separator: -1 },
    ThemeIcon: class {
      readonly id = 'icon';
    },
    window: {
      showQuickPick: (items: readonly Item[]) => {
        editor.items = items;
        return Promise.resolve(undefined);
      },
      createQuickPick: () => new Picker(),
    },
  };
});

/** Hidden by its user when it is filled. */
class Picker {
  activeItems: readonly Item[] = [];
  /** Whether its user presses Enter in place of that. */
  accepts = false;
  private shown: readonly Item[] = [];
  private hidden = (): void => undefined;
  private accepted = (): void => undefined;

  constructor() {
    editor.picker = this;
  }

  get items(): readonly Item[] {
    return this.shown;
  }

  /** As in the editor, the first is active then. */
  set items(items: readonly Item[]) {
    this.shown = items;
    this.activeItems = items.slice(0, 1);
  }

  set busy(busy: boolean) {
    if (busy) return;
    editor.items = this.items;
    if (this.accepts) this.accepted();
    else this.hidden();
  }

  onDidHide(hidden: () => void): void {
    this.hidden = hidden;
  }

  onDidAccept(accepted: () => void): void {
    this.accepted = accepted;
  }

  hide(): void {
    this.hidden();
  }

  readonly show = (): void => undefined;
  readonly dispose = (): void => undefined;
}

const ROOT = join(import.meta.dirname, '..', '..', '..');

const APPRAISAL: Appraisal = {
  family: 'qwen2',
  size: '1.5B',
  quantization: 'Q8_0',
  bytes: 1_646_573_056,
  memory: 1_730_000_000,
  context: 4_480,
  speed: 20.4,
  fim: true,
  obstacle: '',
};

describe('in German', () => {
  beforeEach(() => {
    const bundle = readFileSync(join(ROOT, 'l10n', 'bundle.l10n.de.json'), 'utf8');
    editor.german = JSON.parse(bundle) as Readonly<Record<string, string>>;
    editor.items = [];
  });

  it('a model of the catalogue has its note', async () => {
    const downloads = new ModelDownloads({
      storage: join(ROOT, 'none'),
      mirror: () => '',
      current: () => '',
      leave: () => Promise.resolve(),
    });
    expect(await downloads.choose()).toEqual({ kind: 'none' });
    expect(editor.items).toHaveLength(CATALOGUE.length);
    for (const [index, { note }] of CATALOGUE.entries()) {
      expect(editor.german[note]).not.toBe(note);
      // Behind what may stand there of the memory of this machine.
      expect(editor.items[index]?.detail?.endsWith(editor.german[note] ?? 'English'), note).toBe(true);
    }
  });

  it('a model to choose says what it takes', async () => {
    const appraisals = [
      APPRAISAL,
      { ...APPRAISAL, fim: false, speed: undefined },
      { ...APPRAISAL, obstacle: 'It has no room.' },
    ];
    const found = ['a', 'b'].map((name) => ({ name, path: `/${name}`, source: 'ollama', bytes: 1 }) as const);
    await pickModel({
      current: '',
      embedded: '/embedded',
      find: () => Promise.resolve(found),
      appraise: (path) => Promise.resolve(appraisals[['/embedded', '/a', '/b'].indexOf(path)] ?? APPRAISAL),
    });
    const detailOf = (name: string): string | undefined =>
      editor.items.find(({ label }) => label.endsWith(` ${name}`))?.detail;
    expect(detailOf('Das Modell, das mit Emberline kommt')).toBe(
      'braucht 1.73 GB bei 4480 Token · etwa 20 Token/s · füllt Lücken',
    );
    expect(detailOf('a')).toBe('braucht 1.73 GB bei 4480 Token · füllt keine Lücken');
    // Errors are English.
    expect(detailOf('b')).toBe('It has no room.');
  });
});

describe('a list that is filled while somebody looks', () => {
  /** Two of one name, and one that does not run here, whose icon changes. */
  const FOUND = [
    { name: 'twin', path: '/a' },
    { name: 'twin', path: '/b' },
    { name: 'large', path: '/c' },
  ].map((model) => ({ ...model, source: 'ollama', bytes: 1 }) as const);

  it.each([
    ['/a', 'path'],
    ['/b', 'path'],
    ['/c', 'path'],
    ['file', 'ask'],
    ['', 'path'],
  ])('keeps what is highlighted: %s', async (wanted, key) => {
    const isWanted = ({ choice }: Item): boolean => choice?.[key] === wanted;
    let isHighlighted = false;
    const chosen = await pickModel({
      current: '',
      embedded: '/embedded',
      find: () => Promise.resolve(FOUND),
      appraise: (path) => {
        const { picker } = editor;
        const item = picker?.items.find(isWanted);
        // Once, as soon as it is there.
        if (picker !== undefined && item !== undefined && !isHighlighted) {
          isHighlighted = true;
          picker.activeItems = [item];
          picker.accepts = true;
        }
        return Promise.resolve({ ...APPRAISAL, obstacle: path === '/c' ? 'It has no room.' : '' });
      },
    });
    expect(chosen).toMatchObject({ [key]: wanted });
  });
});
