import core from 'highlight.js/lib/core'
import bash from 'highlight.js/lib/languages/bash'
import go from 'highlight.js/lib/languages/go'
import http from 'highlight.js/lib/languages/http'
import ini from 'highlight.js/lib/languages/ini'
import javascript from 'highlight.js/lib/languages/javascript'
import json from 'highlight.js/lib/languages/json'
import php from 'highlight.js/lib/languages/php'
import python from 'highlight.js/lib/languages/python'
import ruby from 'highlight.js/lib/languages/ruby'
import sql from 'highlight.js/lib/languages/sql'
import typescript from 'highlight.js/lib/languages/typescript'
import xml from 'highlight.js/lib/languages/xml'
import yaml from 'highlight.js/lib/languages/yaml'

const languages = { bash, go, http, ini, javascript, json, php, python, ruby, sql, typescript, xml, yaml }
for (const [name, language] of Object.entries(languages)) core.registerLanguage(name, language)
core.registerAliases(['dotenv', 'caddyfile'], { languageName: 'ini' })

/** Code as HTML with classes, or undefined for a language that is not known: it is shown as it is. */
export const highlight = (code: string, language: string) =>
  core.getLanguage(language) && core.highlight(code, { language }).value
