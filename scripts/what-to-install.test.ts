import { describe, expect, test } from 'vitest'
// @ts-expect-error Plain JavaScript, for Node 20.
import { whatToInstall } from './what-to-install.mjs'

const service = { 'node_modules/fastify': {} }
const tools = { 'node_modules/vitest': { dev: true } }
const elsewhere = { 'node_modules/for-another-platform': { dev: true, optional: true } }
const lock = { packages: { '': {}, ...service, ...tools, ...elsewhere } }
const production = { packages: service }
const full = { packages: { ...service, ...tools } }

describe('The packages to install before a command', () => {
  test.each([
    ['for npm start on a fresh clone: production alone', undefined, false, false, 'production'],
    ['for npm test on a fresh clone: everything', undefined, false, true, 'all'],
    ['for npm start after a production installation: nothing', production, true, false, undefined],
    ['for npm start after a full installation: nothing', full, true, false, undefined],
    ['for npm test after a full installation: nothing', full, true, true, undefined],
    [
      'for npm test after a production installation: the tools, beside a service that may run',
      production,
      true,
      true,
      'completion',
    ],
    ['for npm start after the lockfile changed: production again', production, false, false, 'production'],
    ['for npm start after the lockfile changed: a full installation stays full', full, false, false, 'all'],
    ['for npm test after the lockfile changed: everything', production, false, true, 'all'],
  ])('The right packages are installed %s', (_, installed, isCurrent, needsTools, expected) => {
    expect(whatToInstall({ lock, installed, isCurrent, needsTools })).toBe(expected)
  })
})
