import { extname, join } from 'node:path'

/** What `npm start` in package.json gives to Node, which says why. */
export const argumentsOfNode = [
  '--expose-gc',
  '--max-semi-space-size=32',
  join(import.meta.dirname, `../main${extname(import.meta.filename)}`),
]
