/** The rules of this package are in Python, in `test_*.py`: each file is a test here, with every Python. */
import { join } from 'node:path'

import { expect, test, vi } from 'vitest'

import { pythonWith } from '../../../test/components/python-packages.ts'
import { pythons } from '../../../test/components/pythons.ts'
import { home, printed } from './python.ts'

// a file is many rules, each of which starts programs
vi.setConfig({ testTimeout: 600_000 })

const learners = pythonWith('sklearn', 'jax')
/** Executes a file of rules; rejects with what failed. */
const executed = (python: string, file: string) =>
  printed(python, '-m', 'unittest', 'discover', '--start-directory', join(home, 'test'), '--pattern', file)

test.each(pythons)('a run has what it says, and ends as its program does, with %s', async (python) => {
  await expect(executed(python, 'test_track.py')).resolves.toBeDefined()
})

test.each(pythons)('programs, disks and networks that fail lose and double no point, with %s', async (python) => {
  await expect(executed(python, 'test_journal.py')).resolves.toBeDefined()
})

test.skipIf(learners === null)('trainings that call MLflow, scikit-learn or Keras are tracked', async () => {
  await expect(executed(learners ?? '', 'test_mlflow.py')).resolves.toBeDefined()
})
