import { defineWorker } from '@flow-service/worker-agent/command'
import type { Command } from 'commander'

/** `worker`: the same as the program `service-worker`. */
export function addWorker(root: Command): void {
  defineWorker(root.command('worker'), 'service worker')
}
