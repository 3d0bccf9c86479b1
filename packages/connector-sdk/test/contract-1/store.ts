export interface ConnectorStore {
  get(key: string): Promise<string | null>
  set(key: string, value: string): Promise<void>
  delete(key: string): Promise<boolean>
}
export declare class StoreLimitError extends RangeError {
  readonly name = 'StoreLimitError'
}
