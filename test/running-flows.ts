import type { Client } from '@flow-service/client-sdk'

/** How many live flows the engine of a client runs. */
export async function runningFlows(client: Client): Promise<number> {
  const { engines } = await client.http.engines.list()
  return engines.find(({ self }) => self)?.flows ?? 0
}
