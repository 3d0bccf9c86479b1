import type { Client } from '@flow-service/client-sdk'

/** Refuses as `flows show` does when a flow has no runs because there is none of its name. */
export async function assertFlow(client: Client, flow: string | undefined): Promise<void> {
  for (const name of flow?.split(',') ?? []) {
    // oxlint-disable-next-line no-await-in-loop -- mostly one
    const runs = await client.runs.list({ flow: name, limit: 1 })
    // oxlint-disable-next-line no-await-in-loop -- its runs may have outlived the flow, so this comes second
    if (runs.length === 0) await client.flows.get(name)
  }
}
