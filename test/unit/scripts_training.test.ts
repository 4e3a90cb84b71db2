import { expect, test } from 'vitest';
import { countTests } from '../../scripts/test/training.mjs';

test('tests are counted from a report of pytest', () => {
  const report = `<?xml version="1.0" encoding="utf-8"?><testsuites><testsuite name="pytest" tests="5">
<testcase classname="training.tests.test_a" name="passes" time="0.1" />
<testcase classname="training.tests.test_a" name="fails[1-&gt;2]" time="0.1"><failure message="assert 1 == 2">
E  assert 1 == 2</failure></testcase>
<testcase classname="training.tests.test_a" name="is_left_out" time="0.0"><skipped type="pytest.skip" message="no GPU" /></testcase>
<testcase classname="training.tests.test_b" name="breaks" time="0.0"><error message="failed on setup">boom</error></testcase>
<testcase classname="training.tests.test_b" name="speaks" time="0.0"><system-out>a failure, &lt;failure&gt;</system-out></testcase>
</testsuite></testsuites>`;
  expect(countTests(report)).toEqual({
    passed: 2,
    failed: 2,
    skipped: 1,
    failures: ['training: training.tests.test_a fails[1-&gt;2]', 'training: training.tests.test_b breaks'],
  });
});

test('a report without tests counts none', () => {
  expect(countTests('<testsuites><testsuite name="pytest" tests="0" /></testsuites>')).toEqual({
    passed: 0,
    failed: 0,
    skipped: 0,
    failures: [],
  });
});
