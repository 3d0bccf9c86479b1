/**
 * The test kit of connector packages: a context in memory, and the tests that every connector has to pass. It works with any
 * test runner.
 * @module
 */
export { FakeArtifacts } from './testing/fake-storage.ts'
export { FakeClock } from './testing/fake-clock.ts'
export {
  FakeContext,
  fakeContext,
  type FakeContextOptions,
  type FakePorts,
  type LastingTimer,
  type ToldHealth,
} from './testing/fake-context.ts'
export { FakeNetwork, type FakeNetworkOptions, type Reach } from './testing/fake-network.ts'
export type { AskOptions } from './testing/fake-routes.ts'
export { FakeStore } from './testing/fake-store.ts'
export { Mounted, mounted, type MountOptions } from './testing/mounted.ts'
export { type ContractOptions, contractSuite, type TestFunction } from './testing/contract-suite.ts'
export type { ContractFixtures } from './testing/suite/fixtures.ts'
export { ContractFault } from './testing/suite/rule.ts'
export { type RecordedHttp, recordedHttp, type RecordedOptions } from './testing/recorded-http.ts'
