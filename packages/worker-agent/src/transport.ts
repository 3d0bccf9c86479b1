/**
 * The link between an engine and a worker: frames both ways, and artifacts beside them (wire decision S4).
 * @module
 */
import type { ArtifactRef, CallFailure, CallFrame, EngineFrame, WorkerFrame } from '@flow-service/protocol'

/** What bytes are stored with. */
export interface SaveOptions {
  readonly name: string
  readonly mediaType: string
  readonly volatile: boolean
}

/** A file of this machine that holds the bytes of a digest. It may be gone as soon as it is known. */
export interface ArtifactFile {
  readonly path: string
  /** In bytes. */
  readonly size: number
}

/** Bytes behind references, as node code reaches them. */
export interface ArtifactAccess {
  /**
   * Rejects when the bytes are gone, with an error whose `code` is `not_found`. `whole` asks for the bytes themselves, for
   * whoever did not find the file.
   */
  get(digest: string, whole?: boolean): Promise<Uint8Array | ArtifactFile>
  put(data: Uint8Array, options: SaveOptions): Promise<ArtifactRef>
  /** The access of one call, where it is worth to know what the call refers to before its code asks. */
  forCall?(frame: CallFrame): CallArtifacts
}

/** Access to artifacts as long as a call runs. */
export interface CallArtifacts extends Pick<ArtifactAccess, 'get' | 'put'> {
  /** The call wants nothing any more. May be called again. */
  end?(): void
}

/** Artifacts cannot be reached now; another attempt may reach them. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable'
}

/** A frame is larger than a transport carries, and was not sent. */
export class FrameTooLarge extends Error {
  override readonly name = 'FrameTooLarge'
}

/** Hears what becomes of calls where a transport outlives its link. */
export interface GapListener {
  /** The link is lost. Calls of live nodes end and are not spoken of any more; the others go on. */
  lost(): void
  /** The engine is there again and has no use for these calls: they end, and are not spoken of any more. */
  dropped(calls: ReadonlySet<string>): void
  /** There is no room for what a call says: it has to end with this failure. */
  full(call: string, failure: CallFailure): void
}

/** The worker's end. */
export interface WorkerTransport {
  /**
   * A promise says that the engine is behind: the worker reads no more of the call's process until it settles. Throws a
   * {@link FrameTooLarge}, which is the failure of the frame's call.
   */
  send(frame: WorkerFrame): void | Promise<void>
  onFrame(listener: (frame: EngineFrame) => void): void
  onClose(listener: () => void): void
  /** Only of a transport that outlives its link. */
  onGap?(listener: GapListener): void
  readonly artifacts: ArtifactAccess
}

/** The engine's end. */
export interface EngineTransport {
  /** Whether frames still reach the worker: a link may take its time to close. */
  readonly isOpen: boolean
  send(frame: EngineFrame): void
  /** A listener that returns a promise holds the worker back until it settles. `bytes` is what the frame took, if that is known. */
  onFrame(listener: (frame: WorkerFrame, bytes?: number) => void | Promise<void>): void
  onClose(listener: () => void): void
  /** Ends the link. `refused` follows a frame of that name: a transport with close codes has one of its own for it. */
  close(reason?: 'refused'): void
}
