import { storiesFor } from './key-set-stories.ts'
import { published, type Situation } from './make-token.ts'
import kit from './package.json' with { type: 'json' }
import { tokensFor } from './token-cases.ts'

/** Counts by itself: a case that is added, or judged otherwise, makes a new one. */
export const kitVersion: string = kit.version

/** The whole kit as data, for one receiver and time. */
export function vectorsFor(situation: Situation) {
  return {
    $schema: './vectors.schema.json',
    about: 'How to run them: README.md beside this file. Made by generate.ts.',
    kit: kitVersion,
    ...situation,
    key_set: published('current', 'next'),
    tokens: tokensFor(situation),
    stories: storiesFor(situation),
  }
}
