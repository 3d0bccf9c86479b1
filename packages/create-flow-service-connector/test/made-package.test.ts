import { expect, test } from 'vitest'

import { connectorKinds } from '../src/index.ts'
import { MadePackage } from './made-package.ts'

test.each(Object.keys(connectorKinds))(
  'a package of the kind %s compiles, lints and passes its tests',
  { timeout: 180_000 },
  async (kind) => {
    using made = new MadePackage('@me/solar-panel', kind)
    expect(await made.check()).toBeGreaterThan(15)
  },
)
