import type { Writable } from 'node:stream'
export declare function gatherWrites(stream: Pick<Writable, 'cork' | 'uncork' | 'writableLength'>): () => void
