/** Generating at the cursor while others edit, and while it is being stopped, with an engine that says when. */
import * as assert from 'node:assert';
import * as vscode from 'vscode';
import { OneEngine } from '../../../core/completion/asking';
import type { GenerationEngine } from '../../../core/completion/engine_port';
import type { EngineAnswer, EngineRequest } from '../../../core/engine/engine_request';
import { DEFAULT_OPTIONS } from '../../../core/completion/options';
import { PromptWriter } from '../../../core/completion/prompt_writer';
import { type NativeStop, NO_COMPLETION } from '../../../core/engine/native_types';
import { type Generation, Generator } from '../../../extension/generate/generator';
import type { Interruption } from '../../../extension/generate/insertion';
import { DEFAULT_GENERATE, type KeepPartial } from '../../../core/generate/options';
import { asOneToken } from '../../unit/made_up_tokens';
import { changeBy, closeEditors, edit, eventually, set } from './workbench';

type Act = () => PromiseLike<unknown>;

function answer(text: string, stop: NativeStop): EngineAnswer {
  return { ok: true, value: { ...NO_COMPLETION, text, stop, ...asOneToken(text, 1) } };
}

/** Says `pieces` one by one, does `act`, and goes on until it is stopped, unless `ends`. */
class ScriptedEngine implements GenerationEngine {
  readonly state = 'ready';
  readonly speed = { prefillTokensPerSecond: undefined };
  private readonly pieces: readonly string[];
  private readonly act: Act;
  private readonly ends: boolean | 'early';

  constructor(pieces: readonly string[], act: Act, ends: boolean | 'early') {
    this.pieces = pieces;
    this.act = act;
    this.ends = ends;
  }

  async complete(): Promise<EngineAnswer> {
    await this.act();
    return answer(this.pieces.join(''), 'line_end');
  }

  async generate(
    _request: EngineRequest,
    signal: AbortSignal,
    onText: (piece: string) => void,
  ): Promise<EngineAnswer> {
    for (const piece of this.pieces) onText(piece);
    await this.act();
    if (this.ends === false && !signal.aborted) {
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
    }
    return answer(this.pieces.join(''), this.ends === true ? 'end_token' : 'cancelled');
  }
}

interface Script {
  readonly pieces: readonly string[];
  readonly keepPartial?: KeepPartial;
  /** `early`: nobody stops it, and the text is not over, as where the engine is restarted. */
  readonly ends?: boolean | 'early';
  /** What happens before the engine answers. */
  readonly act?: (generator: Generator) => PromiseLike<unknown>;
  /** What happens while it is asked whether partial text is to be kept; it is not. */
  readonly asked?: Act;
}

interface Played {
  readonly generator: Generator;
  readonly generation: Promise<Generation>;
  /** What was told about text that stays. */
  readonly told: readonly Interruption[];
}

function play(editor: vscode.TextEditor, script: Script): Played {
  const { pieces, keepPartial = 'ask', ends = false, act, asked } = script;
  const engine = new ScriptedEngine(pieces, async () => act?.(generator), ends);
  const told: Interruption[] = [];
  const question = {
    keeps: async () => {
      await asked?.();
      return false;
    },
    stays: (why: Interruption) => void told.push(why),
  };
  const options = { completion: DEFAULT_OPTIONS, generate: { ...DEFAULT_GENERATE, keepPartial } };
  const generator: Generator = new Generator(
    new OneEngine(engine, new PromptWriter(engine)),
    () => options,
    () => [],
    question,
  );
  return { generator, generation: generator.generate(editor), told };
}

function insert(document: vscode.TextDocument, offset: number, text: string): Thenable<boolean> {
  const change = new vscode.WorkspaceEdit();
  change.insert(document.uri, document.positionAt(offset), text);
  return vscode.workspace.applyEdit(change);
}

/** Settles once `text` stands in the document. */
async function stands(document: vscode.TextDocument, text: string): Promise<void> {
  await eventually(() => document.getText().includes(text), `${JSON.stringify(text)} is in the document`);
}

suite('generating at the cursor, interrupted', () => {
  suiteSetup(() => set('editor.inlineSuggest.enabled', false));
  teardown(closeEditors);
  suiteTeardown(() => set('editor.inlineSuggest.enabled', undefined));

  test('what is dropped goes in the undo step that it came in', async () => {
    const editor = await edit('x = [1|');
    const { document } = editor;
    await editor.edit((builder) => builder.insert(new vscode.Position(0, 0), '# mine\n'));
    const before = document.getText();
    const { generation, generator } = play(editor, {
      pieces: [', 2', ', 3', ', 4'],
      keepPartial: 'drop',
      act: async () => {
        await stands(document, ', 3');
        generator.stop();
      },
    });
    const { ending, text } = await generation;
    generator.dispose();
    assert.deepStrictEqual([ending, text, document.getText()], ['stopped', '', before]);
    const seen: string[] = [];
    const listener = vscode.workspace.onDidChangeTextDocument((event) => {
      if (event.document === document) seen.push(document.getText());
    });
    await changeBy('undo', document);
    listener.dispose();
    for (const then of seen) assert.ok(!then.includes(', 2'), then);
  });

  test('who stops it when its last words are on their way is too late', async () => {
    const editor = await edit('x = [1|');
    const { document } = editor;
    const { generation, generator } = play(editor, { pieces: [', 2', ']'], keepPartial: 'drop', ends: true });
    const listener = vscode.workspace.onDidChangeTextDocument(() => {
      if (document.getText() === 'x = [1, 2]') generator.stop();
    });
    const { ending, text } = await generation;
    listener.dispose();
    generator.dispose();
    assert.deepStrictEqual([ending, text, document.getText()], ['finished', ', 2]', 'x = [1, 2]']);
  });

  test('what the engine gives up is no whole text: whether it stays is asked', async () => {
    const editor = await edit('x = [1|');
    const { document } = editor;
    const { generation, generator } = play(editor, { pieces: [', 2', ', 3'], ends: 'early' });
    const { ending, text } = await generation;
    assert.deepStrictEqual([ending, text], ['stopped', ', 2, 3']);
    await eventually(() => document.getText() === 'x = [1', 'what is not to be kept is gone');
    generator.dispose();
  });

  test('a line takes the place of what stood there when it was asked for', async () => {
    const editor = await edit('y = f(g(|))');
    const { document } = editor;
    const { generation, generator } = play(editor, {
      pieces: ['x))  # twice'],
      act: () => insert(document, 0, 'z = '),
    });
    const { ending } = await generation;
    generator.dispose();
    assert.deepStrictEqual([ending, document.getText()], ['finished', 'z = y = f(g(x))  # twice']);
  });

  test('a line leaves alone what came into that place meanwhile', async () => {
    const editor = await edit('y = f(g(|))');
    const { document } = editor;
    const { generation, generator } = play(editor, {
      pieces: ['x))  # twice'],
      act: () => insert(document, 'y = f(g()'.length, ', mine'),
    });
    const { ending, text } = await generation;
    generator.dispose();
    assert.deepStrictEqual([ending, text, document.getText()], ['edited', '', 'y = f(g(), mine)']);
  });

  test('text that is edited while it is asked for stays, and that is told', async () => {
    const editor = await edit('x = [1|');
    const { document } = editor;
    const { generation, generator, told } = play(editor, {
      pieces: [', 2', ', 3'],
      act: () => stands(document, ', 2').then(() => generator.stop()),
      asked: () => insert(document, 'x = [1,'.length, '<mine>'),
    });
    assert.strictEqual((await generation).ending, 'stopped');
    await eventually(() => told.length > 0, 'it is told that the text stays');
    generator.dispose();
    assert.deepStrictEqual(told, ['edited']);
    assert.ok(document.getText().startsWith('x = [1,<mine> 2'), document.getText());
  });
});
