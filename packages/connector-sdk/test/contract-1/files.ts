export declare const MAX_FILE_READ_BYTES: number
export declare const MAX_FILE_BYTES: number
export interface Files {
  read(path: string): Promise<Uint8Array>
  write(path: string, data: Uint8Array): Promise<void>
  append(path: string, data: Uint8Array): Promise<void>
}
export declare class FileError extends Error {
  readonly name: 'missing' | 'refused' | 'too_large' | 'unusable'
  constructor(name: FileError['name'], message: string)
}
export declare function filePathFault(path: string): string | null
