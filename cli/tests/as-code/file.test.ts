// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is how a file names a variable
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { readFile } from '../../src/as-code/document.ts'
import { createVariableNames, escapeVariables, expand } from '../../src/as-code/variables.ts'
import { writeDocument } from '../../src/as-code/write-document.ts'

const id = '0199a3f2-5c00-7000-8000-0242ac120002'
const environment = { SECRET: 'a value from outside', EMPTY: '' }
const read = (content: string) => readFile('signet.yaml', content, environment).organizations
const problemsOf = (content: string) => {
  try {
    read(content)
  } catch (error) {
    return (error as Error).message.split('\n')
  }
  return expect.fail('it was read')
}

describe('A file', () => {
  test.each<[string, string, string]>([
    ['an unknown member', 'version: 1\nwebhook: []\n', '2:1: webhook: is not known here'],
    [
      'an unknown member of a thing',
      'version: 1\ngroups:\n  - name: staff\n    colour: red\n',
      '4:5: groups[0].colour: is not',
    ],
    ['a key that stands twice', 'version: 1\ngroups: []\ngroups: []\n', '3:1: Map keys must be unique'],
    ['an alias', 'version: 1\nsettings: {}\ngroups: *all\n', '3:9: '],
    ['an anchor', 'version: 1\ngroups: &all []\n', '2:14: groups: must not have an anchor'],
    ['a tag', 'version: 1\ngroups: !!set {}\n', 'groups: must not have a tag'],
    ['a merge key', 'version: 1\nsettings: {<<: {self_registration: true}}\n', '2:12: settings.<<'.slice(0, 5)],
    [
      'a number for text',
      'version: 1\ngroups: [{name: 1e3}]\n',
      '2:17: groups[0].name: must be text: "1e3" is read as a number',
    ],
    [
      'text for a switch',
      'version: 1\nsettings:\n  self_registration: no\n',
      '3:22: settings.self_registration: must be true or false',
    ],
    ['a list that is empty by mistake', 'version: 1\ngroups:\n', 'groups: must be a list'],
    ['a map for a list', 'version: 1\ngroups: {name: staff}\n', '2:9: groups: must be a list'],
    ['no version', 'groups: []\n', '1:1: version: is required, and must be 1'],
    ['another version', 'version: 2\n', '1:10: version: must be 1'],
    [
      'a thing that stands twice',
      'version: 1\ngroups: [{name: it}, {name: it}]\n',
      '2:22: groups[1]: is the same as groups[0]',
    ],
    [
      'a target in two spellings',
      'version: 1\nwebhooks:\n  - {name: a, target_url: https://x.example}\n  - {name: b, target_url: https://X.example:443/}\n',
      '4:5: webhooks[1]: is the same as webhooks[0]',
    ],
    ['a thing without its name', 'version: 1\ngroups: [{description: x}]\n', '2:10: groups[0].name: is required'],
    [
      'a secret',
      'version: 1\ncredentials: [{client_id: c, provider: provider_a, client_secret: s3cret}]\n',
      'must be a variable, such as ${NAME}',
    ],
    [
      'a variable that is not set',
      'version: 1\ngroups: [{name: "${NOT_SET}"}]\n',
      '2:17: groups[0].name: the environment variable NOT_SET is not set',
    ],
    [
      'a variable that is empty',
      'version: 1\ngroups: [{name: "${EMPTY}"}]\n',
      'the environment variable EMPTY is not set',
    ],
    [
      'a variable that does not end',
      'version: 1\ngroups: [{name: it, description: "${SECRET"}]\n',
      '2:34: groups[0].description: "${" begins a variable',
    ],
    [
      'a trigger without its name',
      'version: 1\nwebhooks: [{target_url: "https://x.example/", name: x, triggers: [{trigger_type: event}]}]\n',
      'webhooks[0].triggers[0].trigger_name: is required',
    ],
    [
      'an option that is a map',
      'version: 1\ncredentials: [{client_id: c, provider: provider_a, options: {provider_a: {a: {}}}}]\n',
      'credentials[0].options.provider_a.a: must be text',
    ],
    [
      'options of another provider',
      'version: 1\ncredentials: [{client_id: c, provider: provider_a, options: {provider_b: {}}}]\n',
      'credentials[0].options: provider_b: the credential is one of provider_a',
    ],
    [
      'a duration that is none',
      'version: 1\nwebhooks: [{target_url: "https://x.example/", name: x, timeout: fast}]\n',
      'webhooks[0].timeout: must be a duration',
    ],
    ['text that does not end', 'version: 1\ngroups: ["it\n', 'Missing closing'],
    ['nothing', '# nothing\n', '1:1: is empty'],
    ['a list', '- 1\n', '1:1: must be a map'],
    [
      'a key of no organization',
      'version: 1\norganization: staff\n',
      '2:15: organization: must be the ID of an organization',
    ],
  ])('%s is refused with its place and the rule', (_, content, said) => {
    const problems = problemsOf(content)
    expect(
      problems.some((problem) => problem.startsWith('signet.yaml:') && problem.includes(said)),
      problems.join('\n'),
    ).toBe(true)
  })

  test('Values that only a newer service knows are left to the service', () => {
    const content = `version: 1
webhooks:
  - {target_url: "https://x.example/", name: x, triggers: [{trigger_type: event, trigger_name: Newer_v2, on_failure: wait}]}
credentials:
  - {client_id: c, provider: provider_z, options: {provider_z: {region: eu, is_newer: true, scopes: [a, b]}}}
applications: [{name: A, redirect_uris: ["https://a.example/"], id_token_signed_response_alg: EdDSA}]
`
    expect(read(content)).toMatchObject([
      {
        resources: {
          webhooks: [{ nested: [{ fields: { trigger_name: 'Newer_v2', on_failure: 'wait' } }] }],
          credentials: [{ fields: { options: { provider_z: { region: 'eu', is_newer: true, scopes: ['a', 'b'] } } } }],
          applications: [{ fields: { id_token_signed_response_alg: 'EdDSA' } }],
        },
      },
    ])
  })

  test('All that is wrong is said at once, in the order of the file', () => {
    const content = `version: 1\nsettings: {self_registration: 1}\ngroups: [${'x, '.repeat(30)}]\n`
    const problems = problemsOf(content)
    expect(problems[0]).toContain(':2:31: settings.self_registration')
    expect(problems).toHaveLength(21)
    expect(problems.at(-1)).toBe('and 11 more')
  })

  test('An alias that would make a small file large, and lists that never end, are refused', () => {
    const lines = Array.from({ length: 40 }, (_, index) => `a${index + 1}: &a${index + 1} [*a${index}, *a${index}]`)
    problemsOf(`version: 1\na0: &a0 [x]\n${lines.join('\n')}\n`)
    problemsOf('['.repeat(10_000))
  })

  test('A secret is in no message', () => {
    const content = 'version: 1\nsettings: {self_registration: "${SECRET}"}\ngroups: [{name: "${SECRET}"}]\n'
    expect(problemsOf(content).join()).not.toContain(environment.SECRET)
  })

  test('Each document of a file is an organization', () => {
    const content = `version: 1\norganization: ${id}\napi_key: "\${SECRET}"\n---\nversion: 1\ngroups: []\n`
    expect(read(content)).toMatchObject([
      { organizationId: id, apiKey: environment.SECRET, resources: { groups: undefined } },
      { organizationId: undefined, apiKey: undefined, resources: { groups: [] } },
    ])
  })
})

describe('Text', () => {
  const hostile = [
    'no',
    '1e3',
    '0x1F',
    'null',
    '~',
    '2026-11-25',
    '12:30:45',
    ' x ',
    '# x',
    'a: b',
    '- a',
    '&a',
    '*a',
    '!a',
    '%a',
    '@a',
    '`a',
    '|',
    '>',
    '',
    '\n',
    ' \n x\n\n',
    'x\n',
    '\tx',
    'x\r\ny',
    'a\u2028b\u2029c',
    '\u0085',
    '\u001b[31mred',
    '\u202edlog',
    '\ufeffx',
    '\u{e0001}',
    '👩‍👩‍👧',
    '${SECRET}',
    '$${SECRET}',
    '$',
    '${',
    'x'.repeat(1_000),
    '---',
    '...',
    '"',
    "'",
    '\\u0041',
    ' \n',
    '  \n\nx',
    '<<',
    '=',
  ]
  const roundTrip = (description: string) => {
    const content = { version: 1, groups: [{ name: 'it', description: escapeVariables(description) }] }
    const written = writeDocument(content, { organizationId: id, variables: [] })
    const [organization] = read(written)
    return { written, description: organization?.resources.groups?.[0]?.fields.description }
  }

  test.each(hostile)('The text %j is written so that it is read as it was, by YAML 1.1 too', (text) => {
    const { written, description } = roundTrip(text)
    expect(description).toBe(text)
    const [old] = parseAllDocuments(written, { version: '1.1' }) as unknown as {
      toJS(): { groups: { description: string }[] }
    }[]
    expect(old?.toJS().groups[0]?.description).toBe(escapeVariables(text))
  })

  test('Any text is written so that it is read as it was, without a character that a terminal would obey', () => {
    const anyText = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 200 }),
      fc.string({ unit: fc.constantFrom(...' \n\t\r:#-"\'${}[]&*!|>x\u2028\u202e\u001b'), maxLength: 40 }),
    )
    fc.assert(
      fc.property(anyText, (text) => {
        const { written, description } = roundTrip(text)
        expect(description).toBe(text.slice(0, 1_000))
        expect(written).not.toMatch(/[^\P{C}\n]|[\p{Zl}\p{Zp}]/u)
      }),
      { numRuns: 100 },
    )
  })

  test('What was escaped is expanded to what it was', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('$', '{', '}', 'A') }), (text) => {
        expect(expand(escapeVariables(text), {})).toEqual({ text, problems: [], unset: [], hasVariable: false })
      }),
    )
  })

  test('The value of a variable is text, whatever stands in it', () => {
    expect(expand('Bearer ${TOKEN}', { TOKEN: '${TOKEN}: [$&]' }).text).toBe('Bearer ${TOKEN}: [$&]')
  })

  test('Names of variables are readable, and each is there once', () => {
    const nameFor = createVariableNames()
    expect(nameFor('WEBHOOK', 'Käufe & Co.', 'x-api-key')).toBe('WEBHOOK_KAUFE_CO_X_API_KEY')
    expect(nameFor('WEBHOOK', 'kaufe co', 'X-API-Key')).toBe('WEBHOOK_KAUFE_CO_X_API_KEY_2')
    expect(nameFor('WEBHOOK', '日本', 'authorization')).toBe('WEBHOOK_AUTHORIZATION')
  })
})
