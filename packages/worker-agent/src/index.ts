/**
 * Runs node code in child processes, next to the engine or on another machine.
 * @module
 */
export { createWorker, type Worker, WorkerRefused } from './agent.ts'
export { Execution, type ExecutionHost } from './code-execution.ts'
export { environmentBeside, withoutCredentials } from './environment.ts'
export { hideCredentials } from './hidden-credentials.ts'
export { findInterpreter, findPython, type Interpreter, OLDEST_PYTHON } from './interpreter.ts'
export type { Inspect, Inspected } from './inspection.ts'
export { InvalidOption } from './remote/invalid-option.ts'
export { memoryTransport } from './memory-transport.ts'
export type { Resources, WorkerOptions } from './options.ts'
export { type ParsedFunction, type ParsedParameter, type ParsedSource, parsePython } from './parse.ts'
export { listPythonPackages, PythonListings, type PythonPackages } from './python-packages.ts'
export {
  type NamedPython,
  PythonEnvironments,
  type PythonEnvironmentsOptions,
  readPythonEnvironments,
} from './python-environments.ts'
export type { ProcessKind } from './processes.ts'
export { runnerSource } from './runner-source.ts'
export { type RemoteWorkerOptions, runWorker, type WorkerEnd, type WorkerEvent } from './remote/run-worker.ts'
export { Silence } from './silence.ts'
export {
  type ArtifactAccess,
  type ArtifactFile,
  type CallArtifacts,
  type EngineTransport,
  FrameTooLarge,
  type SaveOptions,
  type WorkerTransport,
} from './transport.ts'
