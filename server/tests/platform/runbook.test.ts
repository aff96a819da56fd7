import { spawnSync } from 'node:child_process'
import { existsSync, globSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import pg from 'pg'
import { describe, expect, test } from 'vitest'
import { parse, parseAllDocuments, stringify } from 'yaml'
import { testDatabase } from '../support/database.ts'
import { repository, temporaryFolder } from '../support/program.ts'

type Rule = { alert?: string; expr: string; annotations: { runbook_url: string } }

const read = (path: string) => readFileSync(join(repository, path), 'utf8')
const { groups } = parse(read('examples/monitoring/signet-alerts.yaml')) as { groups: { rules: Rule[] }[] }
const alerts = groups.flatMap(({ rules }) => rules).filter((rule) => rule.alert !== undefined)
const runbook = read('docs/operate/runbook.md')
const sections = runbook
  .split(/^## /m)
  .slice(1)
  .map((text) => ({ name: /^\w+/.exec(text)?.[0] ?? '', text }))

describe('The runbook', () => {
  test('Each alert has a section, each section an alert, in one order', () => {
    expect(alerts.length).toBeGreaterThan(16)
    expect(sections.map(({ name }) => name).toSorted()).toEqual(alerts.map(({ alert }) => alert).toSorted())
  })

  test.each(alerts)('The address that $alert gives leads to its section', ({ alert = '', annotations }) => {
    const { host, pathname, hash } = new URL(annotations.runbook_url)
    expect([host, hash]).toEqual(['docs.example.com', `#${alert.toLowerCase()}`])
    expect(existsSync(join(repository, 'docs', pathname))).toBe(true)
  })

  test.each(sections)(
    '$name has the symptom, what to look at, what to do, and how to tell that it is over',
    ({ text }) => {
      expect(text.match(/^\*\*(Symptom\.|Look\.|Do\.|Over when\*\*)/gm)).toEqual([
        ...['**Symptom.', '**Look.', '**Do.', '**Over when**'],
      ])
    },
  )

  test('Each statement of SQL runs on the database of a service, and changes nothing', async () => {
    const { drop, ...database } = await testDatabase()
    const client = new pg.Client(database)
    await client.connect()
    const statements = [...runbook.matchAll(/^```sql\n(.*?)^```$/gms)].map(([, text = '']) => text)
    expect(statements.length).toBeGreaterThan(9)
    try {
      await client.query('set default_transaction_read_only = on')
      for (const statement of statements) await client.query(statement)
    } finally {
      await client.end()
      await drop()
    }
  })

  test('Each metric that it names stands in the page of metrics', () => {
    const page = read('docs/reference/metrics.md')
    const named = new Set(runbook.match(/\bsignet_\w+/g)?.map((name) => name.replace(/_(count|sum|bucket)$/, '')))
    expect(named.size).toBeGreaterThan(15)
    expect([...named].filter((name) => !page.includes(`## ${name}\n`))).toEqual([])
  })
})

describe('The components for Kubernetes', () => {
  const folder = join(repository, 'examples/kubernetes')
  // biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of a manifest, field by field
  type Resource = any

  test('Each kustomization names files and folders that are there, and each manifest is named', () => {
    const kustomizations = globSync('**/kustomization.yaml', { cwd: folder })
    const named = kustomizations.flatMap((path) => {
      const { resources = [], components = [] } = parse(readFileSync(join(folder, path), 'utf8')) as Resource
      return [...resources, ...components].map((each: string) => join(dirname(path), each))
    })
    expect(named.filter((path) => !existsSync(join(folder, path)))).toEqual([])
    const manifests = globSync('**/*.yaml', { cwd: folder }).filter((path) => !path.endsWith('kustomization.yaml'))
    expect(manifests.filter((path) => !named.includes(path))).toEqual([])
  })

  test('The rules for the operator of Prometheus are those of the file for Prometheus', () => {
    const path = 'examples/kubernetes/components/monitoring/prometheus-rule.yaml'
    expect((parse(read(path)) as Resource).spec.groups).toEqual(groups)
  })

  test('The autoscaler follows the rule that the alerts record', () => {
    const { spec } = parse(read('examples/kubernetes/components/autoscaling/autoscaler.yaml')) as Resource
    const recorded = groups.flatMap(({ rules }) => rules).flatMap((rule) => ('record' in rule ? [rule.record] : []))
    expect(recorded.map((name) => String(name).replace(':', '_'))).toEqual([spec.metrics[0].external.metric.name])
    const page = read('docs/operate/processes.md')
    for (const name of [spec.metrics[0].external.metric.name, ...recorded]) expect(page).toContain(name)
  })

  /** Also of other programs, as an overlay of one's own may have. */
  const other = `apiVersion: apps/v1
kind: Deployment
metadata: { name: proxy, labels: { app.kubernetes.io/name: proxy } }
spec: { template: { spec: { containers: [{ name: proxy, image: proxy }] } } }
`

  const hasKubectl = spawnSync('kubectl', ['kustomize', '--help']).status === 0

  test.runIf(hasKubectl)(
    'All together are two deployments that migrate first, scraped, and with workers by the autoscaler',
    () => {
      const { status, stdout, stderr } = spawnSync('kubectl', ['kustomize', join(folder, 'operated')], {
        encoding: 'utf8',
      })
      expect([status, stderr]).toEqual([0, ''])
      const made = parseAllDocuments(stdout).map((each): Resource => each.toJS())
      const named = (kind: string, name: string) =>
        made.find((each) => each.kind === kind && each.metadata.name === name)
      const [api, worker] = ['signet-api', 'signet-worker'].map((name) => named('Deployment', name).spec)
      expect([api.replicas, worker.replicas]).toEqual([3, undefined])
      for (const { template } of [api, worker]) {
        const [first] = template.spec.initContainers
        const [main] = template.spec.containers
        expect(first).toMatchObject({
          command: ['signet', 'migrate'],
          image: main.image,
          envFrom: main.envFrom,
          volumeMounts: main.volumeMounts,
          securityContext: main.securityContext,
        })
        expect(main.env).toEqual(expect.arrayContaining(first.env))
      }
      const target = named('HorizontalPodAutoscaler', 'signet-worker').spec.scaleTargetRef
      expect(named(target.kind, target.name)).toBeDefined()
      const { spec: monitor } = named('ServiceMonitor', 'signet')
      const service = named('Service', 'signet-metrics')
      expect(service.metadata.labels).toMatchObject(monitor.selector.matchLabels)
      expect(service.spec.ports.map(({ name }: { name: string }) => name)).toContain(monitor.endpoints[0].port)
      expect(service.metadata.labels[monitor.jobLabel]).toBe('signet')
    },
  )

  test.runIf(hasKubectl)(
    'Migrating first is for the deployments of Signet, and for no others of an overlay',
    (context) => {
      const overlay = temporaryFolder(context)
      const from = (path: string) => relative(realpathSync(overlay), join(folder, path))
      writeFileSync(join(overlay, 'other.yaml'), other)
      writeFileSync(
        join(overlay, 'kustomization.yaml'),
        stringify({ resources: ['other.yaml', from('process')], components: [from('components/migrate-first')] }),
      )
      const { status, stdout, stderr } = spawnSync('kubectl', ['kustomize', overlay], { encoding: 'utf8' })
      expect([status, stderr]).toEqual([0, ''])
      const deployments = parseAllDocuments(stdout)
        .map((each): Resource => each.toJS())
        .filter(({ kind }) => kind === 'Deployment')
      const first = deployments.map(({ metadata, spec }) => [
        metadata.name,
        spec.template.spec.initContainers?.length ?? 0,
      ])
      expect(Object.fromEntries(first)).toEqual({ proxy: 0, signet: 1 })
    },
  )
})
