import { utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command, CommanderError } from 'commander';
import { describe, expect, it } from 'vitest';
import { idsOf, numberOf, parseAnswer, requestLine, textOf } from '../../../bench/line_protocol';
import { outputOf } from '../../../bench/program_run';
import { copiesIn, waitForCopy } from '../../../bench/packed_copy_wait';
import { addSpeedSuites } from '../../../bench/speed_command';
import { Worker, withWorkers } from '../../../bench/worker';
import { temporaryFolder } from '../../temporary_folder';

/** A worker in a few lines: answers `echo WORDS`, and does as told otherwise. */
const SCRIPT = `
  const say = (value) => console.log(JSON.stringify(value));
  say(process.argv[1] === 'broken' ? { error: 'no model', code: 'FILE_NOT_FOUND' } : { ready: true });
  require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    if (line === 'die') { console.error('out of luck'); process.exit(3); }
    if (line === 'mumble') console.log('mumble');
    else say({ text: line });
  });
`;
const command = (...args: string[]) => ({
  name: 'The worker',
  program: process.execPath,
  args: ['-e', SCRIPT, ...args],
});

describe('the line protocol', () => {
  it('keeps a request on its line', () => {
    expect(requestLine('prompt', 1, 2)).toBe('prompt 1 2');
    expect(() => requestLine('text', 'a\nb')).toThrow(RangeError);
  });

  it('turns an error into a failure with its code', () => {
    expect(() => parseAnswer('{"error":"It broke.","code":"MODEL_CORRUPT"}', 'It')).toThrow(
      expect.objectContaining({ code: 'MODEL_CORRUPT', message: 'It: It broke.' }),
    );
    for (const line of ['', 'ready', '[1]', 'null', '3']) {
      expect(() => parseAnswer(line, 'It')).toThrow(expect.objectContaining({ code: 'WORKER_FAILED' }));
    }
  });

  it('gives members of the type they must have', () => {
    const answer = parseAnswer('{"ms":1.5,"ids":[1,2],"text":"a"}', 'It');
    expect([numberOf(answer, 'ms'), idsOf(answer), textOf(answer)]).toEqual([1.5, [1, 2], 'a']);
    expect(() => numberOf(answer, 'text')).toThrow(expect.objectContaining({ code: 'WORKER_FAILED' }));
    expect(() => idsOf({ ids: [1.5] })).toThrow(expect.objectContaining({ code: 'WORKER_FAILED' }));
    expect(() => textOf({})).toThrow(expect.objectContaining({ code: 'WORKER_FAILED' }));
  });
});

describe('a worker', () => {
  it('answers one request after the other, and ends when it is told to', async () => {
    const worker = await Worker.start(command());
    expect(await worker.ask('one')).toEqual({ text: 'one' });
    expect(await worker.ask('two words')).toEqual({ text: 'two words' });
    await worker.stop();
    await expect(worker.ask('three')).rejects.toMatchObject({ code: 'WORKER_FAILED' });
  });

  it('that cannot begin says why', async () => {
    await expect(Worker.start(command('broken'))).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' });
    await expect(Worker.start({ name: 'It', program: '/no/such/program', args: [] })).rejects.toMatchObject({
      code: 'WORKER_FAILED',
    });
  });

  it('that dies or talks nonsense is a failure with a reason', async () => {
    await withWorkers(async (start) => {
      const nonsense = await start(command());
      await expect(nonsense.ask('mumble')).rejects.toMatchObject({ code: 'WORKER_FAILED' });
      const dying = await start(command());
      await expect(dying.ask('die')).rejects.toMatchObject({
        code: 'WORKER_FAILED',
        message: 'The worker ended (out of luck).',
      });
    });
  });
});

describe('a program that prints what it finds', () => {
  const runs = (script: string): Promise<string> => outputOf(process.execPath, ['-e', script]);

  it('is read to its end', async () => {
    expect(await runs("console.log('{}')")).toBe('{}\n');
  });

  it.each([
    ["console.error('no model'); process.exit(3)", /^node\S* failed: no model$/],
    ['process.exit(3)', /^node\S* failed: Error: Command failed/],
  ])('is a failure with its own words where it fails: %s', async (script, message) => {
    await expect(runs(script)).rejects.toMatchObject({
      code: 'WORKER_FAILED',
      message: expect.stringMatching(message) as string,
    });
  });
});

describe('the command line', () => {
  const parse = async (...args: string[]): Promise<unknown> => {
    const program = new Command().exitOverride().configureOutput({ writeErr: () => undefined });
    addSpeedSuites(program);
    return program.parseAsync(args, { from: 'user' });
  };

  it.each([
    ['an unknown option', ['decode', '--fast']],
    ['too few repeats', ['decode', '--repeats', '4']],
    ['no number of threads', ['prefill', '--threads', 'many']],
    ['a pattern that is none', ['verify', '--rows', '(']],
    ['two formats', ['load', '--json', '--markdown']],
    ['an argument too many', ['reuse', 'file.gguf', 'another.gguf']],
  ])('refuses %s', async (_, args) => {
    await expect(parse(...args)).rejects.toBeInstanceOf(CommanderError);
  });
});

describe('the packed copy that a first load leaves', () => {
  it.each<[string, readonly string[], readonly string[]]>([
    ['is new', ['a.packed'], ['b.packed']],
    ['is written anew under its name', ['a.packed'], ['a.packed']],
  ])('%s', async (_, before, behind) => {
    const folder = temporaryFolder();
    expect(copiesIn(join(folder, 'none'))).toEqual(new Set());
    for (const name of before) writeFileSync(join(folder, name), '');
    const known = copiesIn(folder);
    // Half of one.
    writeFileSync(join(folder, 'c.packed.part'), '');
    await expect(waitForCopy(folder, known, 0)).rejects.toMatchObject({ code: 'NO_PACKED_COPY' });
    for (const name of behind) {
      writeFileSync(join(folder, name), '');
      utimesSync(join(folder, name), 1, 1);
    }
    await expect(waitForCopy(folder, known, 0)).resolves.toBeUndefined();
  });
});
