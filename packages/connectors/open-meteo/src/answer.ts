/**
 * Answers of the forecast API of Open-Meteo (https://open-meteo.com/en/docs): the weather now, or in words why there is
 * none. Whatever else a server answers is told as such.
 * @module
 */
import * as z from 'zod'

/** The weather now: `time` and values by variable, of which the model may know none. */
const currentSchema = z.looseObject({ time: z.string() })
const answerSchema = z.object({ current: currentSchema })
const refusalSchema = z.object({ reason: z.string() })

/** What `current` of an answer holds. */
export type CurrentWeather = z.infer<typeof currentSchema>

/** Bytes that an answer may have; one with all variables has less than one thousand. */
const MOST_BYTES = 64 * 1024
/** Characters of a reason that are told. */
const MOST_REASON = 300

/** The weather in an answer of `server`; throws an error that names it, and holds nothing of the request. */
export async function currentIn(response: Response, server: string): Promise<CurrentWeather> {
  const answer = jsonIn(await textOf(response, server))
  if (answer === undefined)
    throw new Error(
      `${server} answered ${response.status} with ${mediaTypeOf(response)} and no JSON; check that "url" is the address of an Open-Meteo server`,
    )
  const refusal = refusalSchema.safeParse(answer)
  if (refusal.success || !response.ok) {
    const reason = refusal.data?.reason.slice(0, MOST_REASON) ?? 'it gave no reason'
    throw new Error(`${server} refused the request with ${response.status}: ${reason}${adviceOn(response.status)}`)
  }
  const { data } = answerSchema.safeParse(answer)
  if (data === undefined)
    throw new Error(`${server} answered JSON without the weather now; check that "url" is that of an Open-Meteo server`)
  return data.current
}

/** Instant of a `time` of the API, which has no zone and is UTC as it was asked for: ISO 8601 with `Z`. */
export const instantOf = (time: string): string => (/[zZ]|[+-]\d{2}:\d{2}$/.test(time) ? time : `${time}Z`)

const adviceOn = (status: number): string =>
  status === 429 ? '; raise "poll_interval", or use a paid plan with "api_key"' : ''

const mediaTypeOf = ({ headers }: Response): string => headers.get('content-type')?.split(';', 1)[0] ?? 'no media type'

async function textOf({ body }: Response, server: string): Promise<string> {
  const decoder = new TextDecoder()
  let [text, size] = ['', 0]
  for await (const chunk of body ?? []) {
    size += chunk.length
    if (size > MOST_BYTES)
      throw new Error(
        `${server} answered more than ${MOST_BYTES} bytes; check that "url" is that of an Open-Meteo server`,
      )
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // Told by the caller, who knows the rest of the answer.
  }
}
