import { addonHeaders } from '../addon_headers.mjs';
import { buildAddon, buildBundles } from '../build.mjs';
import { buildPreset } from '../build_preset.mjs';
import { buildFuzzers, TARGETS } from '../fuzz.mjs';
import { packageExtension } from '../package.mjs';
import { aside } from '../processes.mjs';
import { ensureCodeServer } from '../setup/code_server.mjs';
import { ensureTrainingPython } from '../setup/training_python.mjs';

/** @typedef {import('../progress.mjs').Progress} Progress */
/** @typedef {keyof typeof PREPARATIONS} PreparationName */

/**
 * What stages need: each is made once a run, however many stages ask for it. Those that compile are made one after the other, in the
 * order they are asked for: `aside` takes every core that the stages leave, and no more; `first`, which most wait for, has its share beside them.
 */
const PREPARATIONS = {
  codeServer: { needs: [], compiles: false, make: ensureCodeServer },
  addon: {
    needs: [],
    compiles: 'first',
    make: (/** @type {Progress} */ progress) => buildAddon(progress),
  },
  bundles: { needs: [], compiles: false, make: (/** @type {Progress} */ progress) => buildBundles(progress) },
  vsix: {
    needs: ['addon', 'bundles'],
    compiles: false,
    make: (/** @type {Progress} */ progress) => packageExtension(progress),
  },
  nativeTests: {
    // It configures the folder that the tests are built in.
    needs: ['addon'],
    compiles: 'aside',
    make: (/** @type {Progress} */ progress) => buildPreset(progress, 'release'),
  },
  faultyAddon: {
    needs: ['addon'],
    compiles: 'aside',
    make: (/** @type {Progress} */ progress) =>
      buildPreset(progress, 'release', { targets: ['emberline_faulty_addon'] }),
  },
  sanitizedParser: {
    needs: [],
    compiles: 'aside',
    make: (/** @type {Progress} */ progress) => buildPreset(progress, 'asan', { targets: ['test_gguf'] }),
  },
  sanitizedTests: {
    needs: [],
    compiles: 'aside',
    // With the addon, which random calls are made of.
    make: (/** @type {Progress} */ progress) =>
      buildPreset(progress, 'asan', { definitions: addonHeaders() }),
  },
  threadTests: {
    needs: [],
    compiles: 'aside',
    make: (/** @type {Progress} */ progress) => buildPreset(progress, 'tsan-threads'),
  },
  threadSanitizedTests: {
    needs: [],
    compiles: 'aside',
    make: (/** @type {Progress} */ progress) => buildPreset(progress, 'tsan'),
  },
  interleavingTests: {
    needs: [],
    compiles: 'aside',
    make: (/** @type {Progress} */ progress) => buildPreset(progress, 'interleavings'),
  },
  metalTests: {
    // It is built in the same folder, of the same objects.
    needs: ['addon'],
    compiles: 'aside',
    make: (/** @type {Progress} */ progress) => buildPreset(progress, 'metal-sim'),
  },
  metalTestsOfMacs: {
    needs: ['metalTests'],
    compiles: 'aside',
    make: (/** @type {Progress} */ progress) =>
      buildPreset(progress, 'metal-sim', { targets: ['test_metal_gpu', 'test_metal_gpu_kernels'] }),
  },
  trainingPython: { needs: [], compiles: false, make: ensureTrainingPython },
  fuzzers: {
    needs: [],
    compiles: 'aside',
    make: (/** @type {Progress} */ progress) => buildFuzzers(progress, TARGETS),
  },
  armTests: {
    needs: [],
    compiles: 'aside',
    make: (/** @type {Progress} */ progress) => buildPreset(progress, 'aarch64'),
  },
};

/** Makes what stages need, each thing once, compilations one at a time. */
export class Preparations {
  /** @type {Map<PreparationName, Promise<unknown>>} */
  #made = new Map();
  /** @type {Promise<unknown>} */
  #compiler = Promise.resolve();
  #progress;

  /** @param {Progress} progress */
  constructor(progress) {
    this.#progress = progress;
  }

  /**
   * Begins what is asked for and settles when it is there.
   * @param {PreparationName} name
   * @returns {Promise<unknown>}
   */
  async get(name) {
    let made = this.#made.get(name);
    if (made === undefined) {
      made = this.#make(name);
      made.catch(() => {}); // Whoever awaits it sees the failure.
      this.#made.set(name, made);
    }
    return await made;
  }

  /** @param {PreparationName} name */
  async #make(name) {
    const { needs, compiles, make } = PREPARATIONS[name];
    const needed = Promise.all(needs.map((need) => this.get(/** @type {PreparationName} */ (need))));
    if (compiles === false) {
      await needed;
      return await make(this.#progress);
    }
    const turn = this.#compiler.then(async () => {
      await needed;
      const work = async () => /** @type {unknown} */ (await make(this.#progress));
      return await (compiles === 'first' ? work() : aside(work));
    });
    this.#compiler = turn.catch(() => {});
    return await turn;
  }
}
