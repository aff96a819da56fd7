import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** `scopes`: each alternative is of scopes that are all needed. */
type Row = { claims: string[]; places: string[]; scopes: string[][] }

/** The row of the claims that hooks add. */
export const anyOther = 'any other'

const [ofScopes = ''] = readFileSync(join(import.meta.dirname, '../../../docs/reference/claims.md'), 'utf8').split(
  '\n## ',
)

/** The first table of `docs/reference/claims.md`. Words in brackets say more of a scope; a scope within them does not change the claim. */
export const table: Row[] = ofScopes
  .split('\n')
  .filter((line) => /^\| (`|any other)/.test(line))
  .map((line) => {
    const [claims = '', places = '', , scopes = ''] = line.slice(2, -2).split(' | ')
    const alternatives = scopes.replaceAll(/ \([^)]*\)/g, '').split(', ')
    return {
      claims: claims === anyOther ? [claims] : namesIn(claims),
      // A refresh says it anew.
      places: places.split(', ').flatMap(withRefresh).sort(),
      scopes: alternatives.map(namesIn).filter((each) => each.length > 0),
    }
  })

function withRefresh(place: string) {
  return place === 'ID token' ? [place, 'refreshed ID token'] : [place]
}

function namesIn(cell: string): string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name)
}

export const ofHooks = table.find(({ claims }) => claims.includes(anyOther))
export const rowOf = (claim: string) => table.find(({ claims }) => claims.includes(claim)) ?? ofHooks
