/**
 * What contract 1 takes of the words that everyone shares.
 * @module
 */
export type FlowMode = 'live' | 'batch'
export type Health = 'ok' | 'degraded' | 'down'
export type Dtype = 'any' | 'float' | 'int' | 'str' | 'bool' | 'object' | 'array' | 'image' | 'media' | 'artifact'
export type NodeCategory = 'function' | 'network' | 'logic' | 'device' | 'system' | 'connector'
export type IssueCode =
  | 'duplicate_node_id'
  | 'duplicate_port'
  | 'unknown_type'
  | 'bad_setting'
  | 'missing_setting'
  | 'bad_source'
  | 'port_not_identifier'
  | 'name_collision'
  | 'dtype_mismatch'
  | 'unproduced_message'
  | 'unproduced_output'
  | 'duplicate_producer'
  | 'cycle'
  | 'interval_on_batch_port'
  | 'live_only_node'
  | 'unknown_output'
  | 'missing_source'
  | 'no_entry'
  | 'unsupported_target'
  | 'unsupported_ports'
  | 'missing_dependency'
  | 'unknown_secret'
  | 'unknown_device'
  | 'unknown_library'
  | 'unknown_message'
  | 'unknown_flavor'
  | 'unbundlable_dependency'
  | 'module_missing'
  | 'worker_ignored'
  | 'retry_ignored'
  | 'source_ignored'
  | 'plain_credential'
  | 'connector_down'
  | 'device_offline'
  | 'webhook_without_secret'
  | 'send_queue_overflow'
  | 'start_failed'
  | 'shadowed_route'
export interface ArtifactRef {
  digest: string
  name: string
  media_type: string
  size: number
  volatile: boolean
}
