import { extname } from 'node:path'

/** How commands are typed where this runs. Outside a clone `npx signet` would fetch somebody else's package of that name. */
const isClone = extname(import.meta.filename) === '.ts'

export const typedCommands = isClone
  ? { signet: 'npx signet', certificate: 'npm run certificate and a new start (docs/use/hooks.md)' }
  : { signet: 'npx @signet/server', certificate: 'npx @signet/server dev' }
