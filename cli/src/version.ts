import { readFileSync } from 'node:fs'

/** Beside the folder of this file, in the repository and in the package. */
const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))

export { version }
