/** What somebody types for a port or a message, as the value that is sent: the engine refuses what does not fit, and says why. */
import type { Dtype } from '@flow-service/client-sdk'

/** A text where one is asked for; else JSON, and what is no JSON is a text. */
export function typedValue(text: string, dtype: Dtype | undefined): unknown {
  if (dtype === 'str') return text
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}
