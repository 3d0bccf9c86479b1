/**
 * Typed constructors of the built-in node types, for `use` in flows written in TypeScript. Options are the settings in
 * camelCase. This entry holds no implementation.
 * @module
 */
export * from './generated/constructors.ts'
