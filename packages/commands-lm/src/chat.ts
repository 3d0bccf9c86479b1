/**
 * A model behind the chat API that OpenAI has made common.
 * @module
 */
/** Where the model is. */
export interface ChatModelOptions {
  /** Address of the API up to its version, such as `http://127.0.0.1:11434/v1`. */
  readonly url: string
  /** Name of the model there. */
  readonly model: string
  /** Sent as bearer; none unless given. */
  readonly token?: string
  /** Does the requests; the global `fetch` unless given. */
  readonly fetch?: typeof fetch
}
