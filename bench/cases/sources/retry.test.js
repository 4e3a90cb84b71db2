import assert from 'node:assert/strict';
import { beforeEach, describe, it, mock } from 'node:test';

async function sleep(milliseconds) {
  await new Promise((resolve) => setTimeout(resolve, milliseconds));
}

async function retry(operation, { attempts = 3, delay = 100, wait = sleep, onError } = {}) {
  if (attempts < 1) {
    throw new RangeError('attempts must be at least 1');
  }
  let lastError;
  for (let attempt = 1; attempt <= attempts; attempt++) {
    try {
      return await operation(attempt);
    } catch (error) {
      lastError = error;
      onError?.(error, attempt);
      if (attempt < attempts) {
        await wait(delay * 2 ** (attempt - 1));
      }
    }
  }
  throw lastError;
}

function debounce(callback, delay) {
  let timer;
  const debounced = (...args) => {
    clearTimeout(timer);
    timer = setTimeout(() => callback(...args), delay);
  };
  debounced.cancel = () => clearTimeout(timer);
  return debounced;
}

describe('retry', () => {
  let wait;

  beforeEach(() => {
    wait = mock.fn(async () => {});
  });

  it('returns the result of the first success', async () => {
    const operation = mock.fn(async () => 'done');
    assert.equal(await retry(operation, { wait }), 'done');
    assert.equal(operation.mock.callCount(), 1);
    assert.equal(wait.mock.callCount(), 0);
  });

  it('tries again after an error', async () => {
    const operation = mock.fn(async (attempt) => {
      if (attempt < 3) throw new Error('not yet');
      return attempt;
    });
    assert.equal(await retry(operation, { wait }), 3);
    assert.equal(operation.mock.callCount(), 3);
  });

  it('waits longer each time', async () => {
    const operation = async () => {
      throw new Error('never');
    };
    await assert.rejects(retry(operation, { attempts: 4, delay: 10, wait }), /never/);
    const delays = wait.mock.calls.map((call) => call.arguments[0]);
    assert.deepEqual(delays, [10, 20, 40]);
  });

  it('reports every error', async () => {
    const errors = [];
    const operation = async (attempt) => {
      throw new Error(`attempt ${attempt}`);
    };
    const onError = (error) => errors.push(error.message);
    await assert.rejects(retry(operation, { attempts: 2, wait, onError }));
    assert.deepEqual(errors, ['attempt 1', 'attempt 2']);
  });

  it('refuses zero attempts', async () => {
    await assert.rejects(
      retry(async () => {}, { attempts: 0 }),
      RangeError,
    );
  });
});

describe('debounce', () => {
  it('calls once with the last arguments', () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    const callback = mock.fn();
    const debounced = debounce(callback, 50);
    debounced(1);
    debounced(2);
    mock.timers.tick(50);
    assert.equal(callback.mock.callCount(), 1);
    assert.deepEqual(callback.mock.calls[0].arguments, [2]);
    mock.timers.reset();
  });
});
