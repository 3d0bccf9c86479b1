/**
 * What nodes print, as long as somebody may ask for it. Runs keep their own in their records.
 * @module
 */
import { makes, noun } from '../process/layer.ts'
import { LiveLogs } from './live-logs.ts'

export const liveLogs = noun<LiveLogs>()('liveLogs')

export const nodeLogsLayer = makes(liveLogs, {}, () => new LiveLogs())
