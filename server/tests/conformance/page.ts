import { type Kind, kindOf, type Outcome, plans } from './modules.ts'

const words = (outcome: Outcome) => {
  if (outcome === 'passed') return 'passed'
  if ('warning' in outcome) return `warning: ${outcome.warning}`
  return `skipped: ${outcome.skipped}`
}

const all = plans.flatMap(({ modules }) => modules)
const countOf = (kind: Kind) => all.filter(({ outcome }) => kindOf(outcome) === kind).length

const tables = plans.map(
  ({ name, profile, modules }) => `## ${profile}

\`${name}\`, ${modules.length} ${modules.length === 1 ? 'module' : 'modules'}.

| module | what it checks | outcome |
|---|---|---|
${modules.map(({ name, checks, outcome }) => `| \`${name}\` | ${checks} | ${words(outcome)} |`).join('\n')}
`,
)

/** docs/reference/conformance.md. */
export const page = `<!-- Written by \`npx vitest run server/tests/conformance -u\` from server/tests/conformance/modules.ts. -->
# The OpenID conformance suite, mirrored

The OpenID Foundation certifies providers with a [suite](https://gitlab.com/openid/conformance-suite) that needs Java, MongoDB and a
reverse proxy. Signet has not been certified. In place of the suite, one test mirrors each module of four of its plans: it sends the
requests of the module, as the suite's own client does (no PKCE but in the last module of the first plan), by HTTP and with the
cookies of a browser, and judges the answers by the conditions of the module's source. A module that ends with a warning, or is
skipped because what it checks is optional, does not stand in the way of a certification.

Of ${all.length} modules ${countOf('passed')} pass, ${countOf('warning')} end with a warning, ${countOf('skipped')} are skipped and none fails.

\`npx vitest run server/tests/conformance\` runs them. To run the suite itself against an installation that it can reach by https, see
[conformance/](../../conformance/README.md).

${tables.join('\n')}`
