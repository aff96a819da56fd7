import { extname } from 'node:path'

/** What somebody types here: the name `signet` at npm's registry is another's, so that it is only right in a clone. */
const isClone = extname(import.meta.filename) === '.ts'

export const called = isClone
  ? { signet: 'npx signet', certificate: 'npm run certificate and a new start (docs/use/hooks.md)' }
  : { signet: 'npx @signet/server', certificate: 'npx @signet/server dev' }
