/**
 * Test kit for authors of flows.
 * @module
 */
export { type StageTest, type StageTestOptions, testStage } from './test-stage.ts'
