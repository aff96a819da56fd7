import { de } from './sentences/de.ts'
import { en } from './sentences/en.ts'
import { es } from './sentences/es.ts'
import { fr } from './sentences/fr.ts'
import { ja } from './sentences/ja.ts'
import type { Sentences } from './sentences/notes.ts'

/** By the language tag in lower case (BCP 47). A new language is a file of sentences and a row here. */
const sentences = { en, de, fr, es, ja } satisfies Record<string, Sentences>

export type Language = keyof typeof sentences

export const languages = Object.keys(sentences) as Language[]
export const standardLanguage: Language = 'en'

export const sentencesIn = (language: Language): Sentences => sentences[language]

export const isLanguage = (tag: string): tag is Language => Object.hasOwn(sentences, tag)
