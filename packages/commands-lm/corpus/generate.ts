/**
 * `npm run commands-lm:generate`: writes `generated.tsv` of each split from its templates. The tests of the corpus fail while
 * such a file is stale.
 */
import { writeFileSync } from 'node:fs'

import { generatedFiles } from './generated.ts'

for (const { path, text } of generatedFiles()) writeFileSync(path, text)
