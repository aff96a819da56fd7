/**
 * Help: the documentation, as the pages that `help/` is built into.
 *
 * Owns: /help and what is below it. No tables: the pages are the same for everybody, and need no key. What an organization sees in the
 * samples there, its browser asks the console's own routes for.
 * Leaves to `http` the reference of the interface at /docs, and to `help/` in the repository what the pages say and how they look.
 */
export { createBuiltHelp } from './built-help.ts'
export { serveHelp } from './serve-help.ts'
