import { Command, CommanderError } from 'commander';
import { describe, expect, it } from 'vitest';
import { forwardCommand, ourCommand, peerCommands } from '../../../bench/contenders';
import { ChipLimits } from '../../../bench/metal/chip_limits';
import { commonPrefix } from '../../../bench/metal/correctness';
import { addMetalSuite } from '../../../bench/metal/metal_command';
import { formatRealReport, type RealReport } from '../../../bench/metal/real_report';

const REPORT: RealReport = {
  report: {
    suite: 'metal',
    machine: 'Apple M9, 8 threads, darwin-arm64',
    rows: [
      { name: 'decode/x', unit: 'tok/s', ours: 500, peer: 250, ratio: 2, floor: 1_000 },
      { name: 'prefill512/x', unit: 'tok/s', ours: 4_000, peer: 2_000, ratio: 2, floor: null },
      { name: 'skipped-step-return/x', unit: 'us', ours: 12.25, peer: null, ratio: null, floor: null },
    ],
  },
  device: 'metal, Apple M9, 10 GPU cores',
  system: 'macOS 99.1, Node 22.0.0',
  correctness: { promptTokens: 64, correlation: 0.99987, decoded: 64, same: 64 },
  peer: true,
};

describe('the report about a real GPU', () => {
  it('is Markdown with what was compared in front of the table', () => {
    const lines = formatRealReport(REPORT).split('\n');
    expect(lines.slice(0, 5)).toEqual([
      'metal, Apple M9, 10 GPU cores; macOS 99.1, Node 22.0.0.',
      '',
      '- Self-test: passed.',
      '- Logits behind 64 tokens: correlation 0.999870 with those of the processor, which quantises activations to 8 bits.',
      "- Greedy tokens: all 64 are the processor's.",
    ]);
    const table = lines.filter((line) => line.startsWith('|'));
    expect(table).toEqual([
      '| name | ours | unit | peer | ratio | floor | % of floor |',
      '| --- | --: | --- | --: | --: | --: | --: |',
      '| decode/x | 500 | tok/s | 250 | 2 | 1000 | 50 |',
      '| prefill512/x | 4000 | tok/s | 2000 | 2 | - | - |',
      '| skipped-step-return/x | 12.3 | us | - | - | - | - |',
    ]);
    expect(lines.join('\n')).toContain('llama.cpp on Metal, in the same run');
  });

  it('says where the tokens part, and what a paravirtualised GPU is worth', () => {
    const text = formatRealReport({
      ...REPORT,
      device: 'metal, Apple Paravirtual device',
      correctness: { ...REPORT.correctness, same: 31 },
      peer: false,
    });
    expect(text).toContain("the first 31 of 64 are the processor's");
    expect(text).toContain('say nothing about a Mac');
    expect(text).toContain('not measured');
    expect(formatRealReport(REPORT)).not.toContain('paravirtual');
  });

  it('counts ids up to the first that differs', () => {
    expect(commonPrefix([1, 2, 3], [1, 2, 3])).toBe(3);
    expect(commonPrefix([1, 2, 3], [1, 9, 3])).toBe(1);
    expect(commonPrefix([1, 2, 3], [])).toBe(0);
  });
});

describe('who is measured on a GPU', () => {
  const options = { threads: 4, device: 'metal', later: false } as const;
  const peer = { folder: '/peer', libraries: '/peer/libraries', program: '/peer/program' };

  it('is the product on it, with a folder of its own where one is asked for', () => {
    const { args } = ourCommand('m.gguf', options, '/storage');
    expect(args.slice(1)).toEqual([
      'worker',
      '--model',
      'm.gguf',
      '--threads',
      '4',
      '--device',
      'metal',
      '--storage',
      '/storage',
    ]);
    expect(ourCommand('m.gguf', options).args).not.toContain('--storage');
  });

  it('is the program below it with either way of skipping', () => {
    expect(forwardCommand('/p', 'm.gguf', options, 'indirect').args.slice(0, 4)).toEqual([
      'm.gguf',
      '4',
      'metal',
      'indirect',
    ]);
    expect(forwardCommand('/p', 'm.gguf', { ...options, device: 'cpu' }).args).toEqual(['m.gguf', '4']);
  });

  it('is the peer on the same device', () => {
    const commands = peerCommands(peer, 'm.gguf', options);
    expect(commands.map(({ args }) => args.slice(1))).toEqual([['m.gguf', '4', 'metal']]);
    const onCpu = peerCommands(peer, 'm.gguf', { ...options, device: 'cpu' });
    expect(onCpu.every(({ args }) => !args.includes('metal'))).toBe(true);
    expect(onCpu.length).toBeGreaterThan(1);
  });

  it('is limited by the bandwidth that the program states, asked for once', async () => {
    // Answers each request with a greater number.
    const script = `let asked = 0; console.log('{"ready":true}');
      require('node:readline').createInterface({ input: process.stdin })
        .on('line', () => console.log(JSON.stringify({ bytesPerSecond: 273e9 + asked++ })));`;
    const models: string[] = [];
    const limits = new ChipLimits((path) => {
      models.push(path);
      return { name: 'It', program: process.execPath, args: ['-e', script] };
    });
    const model = { path: 'm.gguf' };
    expect(await limits.read(model)).toEqual({ bytesPerSecond: 273e9, operationsPerSecond: null });
    expect(await limits.read(model)).toEqual({ bytesPerSecond: 273e9, operationsPerSecond: null });
    expect(models).toEqual(['m.gguf']);
    await limits.stop();
  });
});

describe('the command', () => {
  it.each([['--repeats', '1'], ['--threads', '65'], ['--unreal']])('refuses %s %s', async (...args) => {
    const program = new Command().exitOverride().configureOutput({ writeErr: () => undefined });
    addMetalSuite(program);
    for (const command of program.commands)
      command.exitOverride().configureOutput({ writeErr: () => undefined });
    await expect(program.parseAsync(['metal', '--real', ...args], { from: 'user' })).rejects.toBeInstanceOf(
      CommanderError,
    );
  });
});
