/**
 * How imports of flow modules, and of packages under development, are resolved.
 * @module
 */

/** The conditions of Node; an engine that runs from source resolves its own packages to source, too. */
export const resolution: { conditionNames: string[] } = {
  conditionNames: [...(import.meta.url.endsWith('.ts') ? ['@flow-service/source'] : []), 'node', 'import', 'default'],
}
