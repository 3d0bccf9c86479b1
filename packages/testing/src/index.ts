/**
 * Test kit for authors of flows.
 * @module
 */
export type { Mock } from './code-host.ts'
export { createTwin, type TwinOptions } from './create-twin.ts'
export type { DeviceTest } from './device-test.ts'
export type { DeviceTwin, TwinIo } from './device-twin.ts'
export type { Duration } from './duration.ts'
export { type FlowTest, type FlowTestOptions, type SentValue, testFlow } from './test-flow.ts'
export { type StageTest, type StageTestInputs, type StageTestOptions, testStage } from './test-stage.ts'
export { type Picture, testPicture } from './test-picture.ts'
export type { TwinStep } from './twin-schedule.ts'
