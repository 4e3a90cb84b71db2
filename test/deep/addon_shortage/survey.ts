/** One piece of work in the addon, once for each of its allocations, each time with that one failing. As test/native/faults/survey.h, through Node. */
import { setTimeout as delay } from 'node:timers/promises';

/** What the addon has when it is built with allocations that fail (test/native/faults/addon). */
export interface FailingAllocations {
  /** The `first`-th allocation of the addon from now on (1: the next one) fails; `lasting` ones with all behind it. */
  readonly failAllocations: (first: number, lasting: boolean) => void;
  /** Whether one has. */
  readonly restoreAllocations: () => boolean;
  /** Blocks that were allocated and not freed. */
  readonly liveBlocks: () => number;
}

export interface Work {
  readonly name: string;
  /** With all the memory there is, before each attempt. */
  readonly begin?: () => Promise<void>;
  /** Gives what came of it as a text; an error as its code. */
  readonly attempt: () => Promise<string>;
  /** With memory again, on what the attempt left: the same after every attempt. */
  readonly afterwards: () => Promise<string>;
}

export interface Survey {
  readonly name: string;
  readonly lasting: boolean;
  /** Of an attempt, those that failed once each. */
  readonly allocations: number;
  /** Attempts that were OUT_OF_MEMORY. */
  readonly refused: number;
  /** Blocks that are there after it and were not before. */
  readonly left: number;
  readonly complaints: readonly string[];
}

export interface SurveyOptions {
  readonly memory: FailingAllocations;
  readonly lasting: boolean;
  /** Lets the 1st, (1 + stride)th, ... allocation fail. */
  readonly stride: number;
  /** Told before each attempt: a process that dies was at this. */
  readonly told: (what: string) => void;
}

const MOST_COMPLAINTS = 8;
/**
 * Blocks that a survey may leave: of what is still to be collected, and one session, for while a shortage lasts its model cannot be told to end one. What
 * each attempt loses is more.
 */
const MOST_LEFT = 400;
/** A finalizer runs after a collection, a thread after the finalizer. */
const COLLECTIONS = 50;
/** Where it is not known how few there can be. */
const FIRST_COLLECTIONS = 4;
/** Whoever has no answer by then gets none, ms. */
const NEVER_MS = 30_000;

export async function survey(work: Work, { memory, lasting, stride, told }: SurveyOptions): Promise<Survey> {
  const { name, begin, attempt, afterwards } = work;
  const complaints: string[] = [];
  let expected = '';
  let expectedAfterwards = '';
  // The first time fills what is kept for the life of the process.
  for (let round = 0; round < 2; round++) {
    await begin?.();
    expected = await attempt();
    expectedAfterwards = await afterwards();
  }
  let allocations = 0;
  let refused = 0;
  const liveBefore = await collected(memory, 0, FIRST_COLLECTIONS);
  for (let first = 1; complaints.length < MOST_COMPLAINTS; first += stride) {
    told(`${name}, ${lasting ? 'lasting' : 'once'}, allocation ${first}`);
    await begin?.();
    memory.failAllocations(first, lasting);
    const outcome = await settled(attempt);
    const reached = memory.restoreAllocations();
    if (outcome === 'OUT_OF_MEMORY' && reached) refused++;
    else if (outcome !== expected)
      complaints.push(`${name}, allocation ${first}: ${outcome} in the place of ${expected}`);
    const after = await settled(afterwards);
    if (after !== expectedAfterwards)
      complaints.push(`${name}, allocation ${first}: left ${after} in the place of ${expectedAfterwards}`);
    if (!reached) break;
    allocations++;
  }
  const left = (await collected(memory, liveBefore + MOST_LEFT)) - liveBefore;
  if (left > MOST_LEFT) complaints.push(`${name}: ${left} blocks were lost in ${allocations} attempts`);
  return { name, lasting, allocations, refused, left, complaints };
}

/** Live blocks, once what JavaScript does not hold any more is gone and threads have let go of it; sooner, where they are at most `enough`. */
async function collected(memory: FailingAllocations, enough: number, most = COLLECTIONS): Promise<number> {
  for (let round = 0; round < most; round++) {
    globalThis.gc?.();
    await delay(1);
    if (memory.liveBlocks() <= enough) break;
  }
  return memory.liveBlocks();
}

async function settled(work: () => Promise<string>): Promise<string> {
  let timer: NodeJS.Timeout | undefined;
  const never = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve('no answer'), NEVER_MS);
  });
  try {
    return await Promise.race([work(), never]);
  } catch (error) {
    return `thrown: ${String(error)}`;
  } finally {
    clearTimeout(timer);
  }
}
