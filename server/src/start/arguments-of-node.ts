import { extname, join } from 'node:path'

/** As `npm start` and the image start the service: a large young generation, and `gc`, by which a start gives its memory back. */
export const argumentsOfNode = [
  '--expose-gc',
  '--max-semi-space-size=32',
  join(import.meta.dirname, `../main${extname(import.meta.filename)}`),
]
