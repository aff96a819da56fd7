import { expect, test } from 'vitest'
import { languages, sentencesIn } from './languages.ts'
import { en } from './sentences/en.ts'
import { notes, type SentenceKey } from './sentences/notes.ts'

const keys = Object.keys(notes) as SentenceKey[]
const namesIn = (text: string) => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).sort()

test.each(languages)('The language %s has every sentence, and each with the names of the English one', (language) => {
  const sentences = sentencesIn(language)
  expect(Object.keys(sentences).sort()).toEqual([...keys].sort())
  for (const key of keys) {
    expect({ key, names: namesIn(sentences[key]) }).toEqual({ key, names: namesIn(en[key]) })
    expect(sentences[key].trim()).toBe(sentences[key])
    expect(sentences[key]).not.toMatch(/[<>\p{Cc}\p{Cf}]|\{\{|^$/u)
  }
})

test('Each sentence has a note for translators, which says what its names stand for', () => {
  for (const key of keys) {
    expect(notes[key].length).toBeGreaterThan(8)
    if (key !== 'sign_in_again_at') expect(namesIn(notes[key])).toEqual(namesIn(en[key]))
  }
})

test('No two languages share a sentence of more than one word', () => {
  for (const key of keys) {
    const texts = languages.map((language) => sentencesIn(language)[key]).filter((text) => text.includes(' '))
    expect({ key, distinct: new Set(texts).size }).toEqual({ key, distinct: texts.length })
  }
})
