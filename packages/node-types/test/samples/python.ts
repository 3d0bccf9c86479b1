export { samples } from './code.ts'
