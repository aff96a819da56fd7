/**
 * Organizations as code: `export` writes what an organization is as a file, and `apply` makes of an organization what a file says.
 * Everything goes through the public interface, with `@signet/management`.
 */
export { registerApply, registerExport } from './commands.ts'
