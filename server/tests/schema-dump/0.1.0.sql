--
-- PostgreSQL database dump
--

\restrict JUJjiJhR9vH1Bpuu7t5drObzWrgTyKWmcP7TjaUg2O5PzjHUdpUoKciGKEvaMBa

-- Dumped from database version 15.18 (Debian 15.18-0+deb12u1)
-- Dumped by pg_dump version 15.18 (Debian 15.18-0+deb12u1)

SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

--
-- Name: origins_of(text[]); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.origins_of(uris text[]) RETURNS text[]
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN ARRAY(SELECT regexp_replace(lower("substring"(uri.uri, '^https?://[^/?]+'::text)), '^(https://.*):443$|^(http://.*):80$'::text, '\1\2'::text) AS regexp_replace FROM unnest(origins_of.uris) uri(uri));


--
-- Name: priority_in_lane(text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.priority_in_lane(event_name text) RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE WHEN (event_name = 'VirtualPageLoaded_v1'::text) THEN 1 ELSE 0 END;


--
-- Name: time_of(uuid); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.time_of(id uuid) RETURNS timestamp with time zone
    LANGUAGE sql IMMUTABLE
    RETURN to_timestamp((((((('x'::text || translate("left"((id)::text, 13), '-'::text, ''::text)))::bit(48))::bigint)::numeric / 1000.0))::double precision);


SET default_tablespace = '';

SET default_table_access_method = heap;

--
-- Name: test_event_allowances; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.test_event_allowances (
    org_id uuid NOT NULL,
    tokens double precision NOT NULL,
    refilled_at timestamp with time zone NOT NULL
);


--
-- Name: tokens_at(public.test_event_allowances, timestamp with time zone, double precision, double precision); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.tokens_at(a public.test_event_allowances, moment timestamp with time zone, per_second double precision, burst double precision) RETURNS double precision
    LANGUAGE sql STABLE
    RETURN LEAST(burst, ((a).tokens + ((GREATEST((0)::numeric, EXTRACT(epoch FROM (moment - (a).refilled_at))))::double precision * per_second)));


--
-- Name: api_keys; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.api_keys (
    org_id uuid NOT NULL,
    id uuid NOT NULL,
    name text,
    key_hash bytea NOT NULL,
    read_only boolean NOT NULL,
    created_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone,
    last_used_at timestamp with time zone
);


--
-- Name: applications; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.applications (
    org_id uuid NOT NULL,
    client_id uuid NOT NULL,
    name text NOT NULL,
    redirect_uris text[] NOT NULL,
    post_logout_redirect_uris text[] NOT NULL,
    confidential boolean NOT NULL,
    client_secret_hash bytea,
    id_token_signed_response_alg text NOT NULL,
    require_pkce boolean NOT NULL,
    groups_claim boolean DEFAULT true NOT NULL,
    refresh_token_grace_ms double precision DEFAULT 10000 NOT NULL,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT applications_check CHECK ((confidential = (client_secret_hash IS NOT NULL))),
    CONSTRAINT applications_check1 CHECK ((confidential OR require_pkce)),
    CONSTRAINT applications_id_token_signed_response_alg_check CHECK ((id_token_signed_response_alg = ANY (ARRAY['RS256'::text, 'ES256'::text]))),
    CONSTRAINT applications_refresh_token_grace_ms_check CHECK (((refresh_token_grace_ms >= (0)::double precision) AND (refresh_token_grace_ms <= (60000)::double precision)))
);


--
-- Name: deliveries; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.deliveries (
    org_id uuid NOT NULL,
    webhook_id uuid NOT NULL,
    event_id uuid NOT NULL,
    trigger_name text NOT NULL,
    trigger_created_at timestamp with time zone,
    is_leased boolean DEFAULT false NOT NULL,
    available_at timestamp with time zone NOT NULL,
    lease_token uuid,
    attempts_count integer DEFAULT 0 NOT NULL,
    window_attempts integer DEFAULT 0 NOT NULL,
    window_opened_at timestamp with time zone,
    attempt_log jsonb DEFAULT '[]'::jsonb NOT NULL
)
WITH (fillfactor='85', autovacuum_vacuum_scale_factor='0.02', autovacuum_vacuum_cost_delay='0');


--
-- Name: delivery_counts; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.delivery_counts (
    org_id uuid NOT NULL,
    webhook_id uuid NOT NULL,
    day date NOT NULL,
    status text NOT NULL,
    count bigint NOT NULL,
    CONSTRAINT delivery_counts_status_check CHECK ((status = ANY (ARRAY['succeeded'::text, 'dropped'::text, 'cancelled'::text])))
)
WITH (fillfactor='50');


--
-- Name: events; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.events (
    org_id uuid NOT NULL,
    id uuid NOT NULL,
    name text NOT NULL,
    payload text NOT NULL
)
PARTITION BY RANGE (id);


--
-- Name: events_20261125; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.events_20261125 (
    org_id uuid NOT NULL,
    id uuid NOT NULL,
    name text NOT NULL,
    payload text NOT NULL
);


--
-- Name: finished_deliveries; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.finished_deliveries (
    org_id uuid NOT NULL,
    webhook_id uuid NOT NULL,
    event_id uuid NOT NULL,
    trigger_type text DEFAULT 'event'::text NOT NULL,
    trigger_name text NOT NULL,
    status text NOT NULL,
    reason text,
    attempts_count integer NOT NULL,
    attempt_log jsonb NOT NULL,
    dropped_claims text[],
    finished_at timestamp with time zone NOT NULL,
    CONSTRAINT finished_deliveries_status_check CHECK ((status = ANY (ARRAY['succeeded'::text, 'dropped'::text, 'cancelled'::text]))),
    CONSTRAINT finished_deliveries_trigger_type_check CHECK ((trigger_type = ANY (ARRAY['event'::text, 'sync_hook'::text])))
)
PARTITION BY RANGE (event_id);


--
-- Name: finished_deliveries_20261125; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.finished_deliveries_20261125 (
    org_id uuid NOT NULL,
    webhook_id uuid NOT NULL,
    event_id uuid NOT NULL,
    trigger_type text DEFAULT 'event'::text NOT NULL,
    trigger_name text NOT NULL,
    status text NOT NULL,
    reason text,
    attempts_count integer NOT NULL,
    attempt_log jsonb NOT NULL,
    dropped_claims text[],
    finished_at timestamp with time zone NOT NULL,
    CONSTRAINT finished_deliveries_status_check CHECK ((status = ANY (ARRAY['succeeded'::text, 'dropped'::text, 'cancelled'::text]))),
    CONSTRAINT finished_deliveries_trigger_type_check CHECK ((trigger_type = ANY (ARRAY['event'::text, 'sync_hook'::text])))
);


--
-- Name: flows; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.flows (
    org_id uuid NOT NULL,
    id uuid NOT NULL,
    interaction_uid text NOT NULL COLLATE pg_catalog."C",
    correlation_id uuid NOT NULL,
    client_address text NOT NULL,
    user_agent text NOT NULL,
    window_location text NOT NULL,
    credential_id uuid,
    state_hash bytea,
    secret_hash bytea,
    expected bytea,
    begun_at timestamp with time zone,
    used_at timestamp with time zone,
    ended_at timestamp with time zone,
    expires_at timestamp with time zone NOT NULL
);


--
-- Name: former_identities; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.former_identities (
    org_id uuid NOT NULL,
    person_id uuid NOT NULL,
    provider text NOT NULL,
    issuer text NOT NULL COLLATE pg_catalog."C",
    subject_hash bytea NOT NULL
);


--
-- Name: groups; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.groups (
    org_id uuid NOT NULL,
    name text NOT NULL COLLATE pg_catalog."C",
    description text NOT NULL,
    created_at timestamp with time zone NOT NULL
);


--
-- Name: handles; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.handles (
    org_id uuid NOT NULL,
    person_id uuid NOT NULL,
    type text NOT NULL,
    key text NOT NULL COLLATE pg_catalog."C",
    value text NOT NULL,
    verified boolean NOT NULL,
    vouched_by text COLLATE pg_catalog."C",
    "position" smallint NOT NULL,
    CONSTRAINT handles_type_check CHECK ((type = ANY (ARRAY['EmailAddress'::text, 'PhoneNumber'::text])))
);


--
-- Name: identities; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.identities (
    org_id uuid NOT NULL,
    id uuid NOT NULL,
    person_id uuid NOT NULL,
    provider text NOT NULL,
    issuer text NOT NULL COLLATE pg_catalog."C",
    subject text NOT NULL COLLATE pg_catalog."C",
    credential_id uuid NOT NULL,
    email text,
    created_at timestamp with time zone NOT NULL
);


--
-- Name: installation; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.installation (
    only_row boolean DEFAULT true NOT NULL,
    base_url text NOT NULL,
    master_key_check bytea NOT NULL,
    CONSTRAINT installation_only_row_check CHECK (only_row)
);


--
-- Name: issuer_grants; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.issuer_grants (
    org_id uuid NOT NULL,
    id text NOT NULL COLLATE pg_catalog."C",
    person_id uuid NOT NULL,
    session_uid text COLLATE pg_catalog."C",
    payload json NOT NULL,
    claims json NOT NULL,
    authenticated_methods text[] NOT NULL,
    expires_at timestamp with time zone NOT NULL
);


--
-- Name: issuer_interactions; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.issuer_interactions (
    org_id uuid NOT NULL,
    uid text NOT NULL COLLATE pg_catalog."C",
    payload json NOT NULL,
    window_location text NOT NULL,
    result json,
    person_id uuid,
    expires_at timestamp with time zone NOT NULL
);


--
-- Name: issuer_keys; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.issuer_keys (
    org_id uuid NOT NULL,
    kid text NOT NULL,
    alg text NOT NULL,
    private_key bytea NOT NULL,
    published_at timestamp with time zone NOT NULL,
    signs_from timestamp with time zone,
    withdrawn_at timestamp with time zone,
    CONSTRAINT issuer_keys_alg_check CHECK ((alg = ANY (ARRAY['RS256'::text, 'ES256'::text])))
);


--
-- Name: issuer_sessions; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.issuer_sessions (
    org_id uuid NOT NULL,
    uid text NOT NULL COLLATE pg_catalog."C",
    id_hash bytea NOT NULL,
    person_id uuid NOT NULL,
    credential_id uuid NOT NULL,
    authentications json NOT NULL,
    payload json NOT NULL,
    expires_at timestamp with time zone NOT NULL
);


--
-- Name: issuer_tokens; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.issuer_tokens (
    org_id uuid NOT NULL,
    id_hash bytea NOT NULL,
    kind text NOT NULL,
    grant_id text NOT NULL COLLATE pg_catalog."C",
    payload json NOT NULL,
    consumed_at timestamp with time zone,
    uses smallint DEFAULT 0 NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    CONSTRAINT issuer_tokens_kind_check CHECK ((kind = ANY (ARRAY['AuthorizationCode'::text, 'AccessToken'::text, 'RefreshToken'::text])))
);


--
-- Name: lanes; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.lanes (
    org_id uuid NOT NULL,
    webhook_id uuid NOT NULL,
    next_due_at timestamp with time zone DEFAULT 'infinity'::timestamp with time zone NOT NULL,
    in_flight integer DEFAULT 0 NOT NULL,
    max_in_flight integer DEFAULT 1 NOT NULL,
    saturated boolean DEFAULT false NOT NULL,
    leased_by uuid,
    healthy boolean DEFAULT false NOT NULL,
    failing boolean DEFAULT false NOT NULL,
    failing_since timestamp with time zone,
    cooldown_until timestamp with time zone DEFAULT '-infinity'::timestamp with time zone NOT NULL,
    paused_reason text,
    resumed_at timestamp with time zone DEFAULT '-infinity'::timestamp with time zone NOT NULL,
    CONSTRAINT lanes_paused_reason_check CHECK ((paused_reason = ANY (ARRAY['requested'::text, 'failing'::text])))
)
WITH (fillfactor='50', autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='500', autovacuum_vacuum_cost_delay='0');


--
-- Name: memberships; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.memberships (
    org_id uuid NOT NULL,
    person_id uuid NOT NULL,
    group_name text NOT NULL COLLATE pg_catalog."C"
);


--
-- Name: oidc_credentials; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.oidc_credentials (
    org_id uuid NOT NULL,
    id uuid NOT NULL,
    client_id text NOT NULL COLLATE pg_catalog."C",
    provider text NOT NULL,
    client_secret bytea NOT NULL,
    label text NOT NULL,
    external_cred_id text NOT NULL,
    options jsonb NOT NULL,
    issuer text COLLATE pg_catalog."C",
    version integer DEFAULT 1 NOT NULL
);


--
-- Name: organizations; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.organizations (
    id uuid NOT NULL,
    name text NOT NULL,
    pricing_tier text NOT NULL,
    self_registration boolean DEFAULT true NOT NULL,
    allowed_email_domains text[] DEFAULT '{}'::text[] NOT NULL,
    link_by_verified_email boolean DEFAULT false NOT NULL,
    created_at timestamp with time zone NOT NULL,
    deleted_at timestamp with time zone
);


--
-- Name: persons; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.persons (
    org_id uuid NOT NULL,
    id uuid NOT NULL,
    active boolean NOT NULL,
    region text NOT NULL,
    created_at timestamp with time zone NOT NULL
);


--
-- Name: person_records; Type: VIEW; Schema: public; Owner: -
--

CREATE VIEW public.person_records AS
 SELECT p.org_id,
    p.id AS person_id,
    p.active,
    p.region,
    p.created_at,
    COALESCE(( SELECT json_agg(json_build_object('type', h.type, 'value', h.value, 'verified', h.verified) ORDER BY h."position") AS json_agg
           FROM public.handles h
          WHERE ((h.org_id = p.org_id) AND (h.person_id = p.id))), '[]'::json) AS handles,
    ARRAY( SELECT m.group_name
           FROM public.memberships m
          WHERE ((m.org_id = p.org_id) AND (m.person_id = p.id))
          ORDER BY m.group_name) AS groups
   FROM public.persons p;


--
-- Name: schema_migrations; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.schema_migrations (
    name text NOT NULL,
    sha256 text NOT NULL,
    breaking boolean NOT NULL,
    applied_at timestamp with time zone DEFAULT now() NOT NULL
);


--
-- Name: signing_keys; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.signing_keys (
    org_id uuid NOT NULL,
    kid text NOT NULL,
    public_jwk text NOT NULL,
    private_key bytea NOT NULL,
    published_at timestamp with time zone NOT NULL,
    signs_from timestamp with time zone,
    withdrawn_at timestamp with time zone
);


--
-- Name: triggers; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.triggers (
    org_id uuid NOT NULL,
    webhook_id uuid NOT NULL,
    type text NOT NULL,
    name text NOT NULL,
    on_failure text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT triggers_on_failure_check CHECK ((on_failure = ANY (ARRAY['fail'::text, 'continue'::text]))),
    CONSTRAINT triggers_type_check CHECK ((type = ANY (ARRAY['event'::text, 'sync_hook'::text])))
);


--
-- Name: webhooks; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.webhooks (
    org_id uuid NOT NULL,
    id uuid NOT NULL,
    target_url text NOT NULL,
    target_key text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL,
    description text NOT NULL,
    custom_headers bytea,
    timeout_ms double precision NOT NULL,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT webhooks_target_key_check CHECK ((target_key <> ''::text))
);


--
-- Name: workers; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.workers (
    id uuid NOT NULL,
    registered_at timestamp with time zone NOT NULL,
    missing_since timestamp with time zone
);


--
-- Name: events_20261125; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY public.events ATTACH PARTITION public.events_20261125 FOR VALUES FROM ('01a21000-8800-7000-8000-000000000000') TO ('01a21526-e400-7000-8000-000000000000');


--
-- Name: finished_deliveries_20261125; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY public.finished_deliveries ATTACH PARTITION public.finished_deliveries_20261125 FOR VALUES FROM ('01a21000-8800-7000-8000-000000000000') TO ('01a21526-e400-7000-8000-000000000000');


--
-- Data for Name: api_keys; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.api_keys VALUES ('01a212f5-4c92-7354-a575-39f42ada0700', '01a212f5-4c92-7355-93b4-766cb15fc8ed', NULL, '\xfe30055b2871ab2a322b7267322e694b5f35a10f096066e70125e3357e970e6c', false, '2026-11-25 13:46:35.538+00', NULL, '2026-11-25 13:46:00+00');


--
-- Data for Name: applications; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.applications VALUES ('01a212f5-4c92-7354-a575-39f42ada0700', '01a212f5-5238-7459-a518-0c41a72a1cdb', 'An application', '{https://app.test/callback}', '{}', true, '\xb814f2389eea16eddb169d0906cc9df53a03aefa8e6c024aec0e916d4c948e77', 'RS256', true, true, 10000, '2026-11-25 13:46:36.984+00');


--
-- Data for Name: deliveries; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.deliveries VALUES ('01a212f5-4c92-7354-a575-39f42ada0700', '01a212f5-5a90-7158-b43a-bb6b7d0d02d4', '01a212f5-5b28-757b-b197-63414102d92a', 'PersonCreated_v1', '2026-11-25 13:46:39.123+00', false, '2026-11-25 13:46:39.272+00', NULL, 0, 0, NULL, '[]');
INSERT INTO public.deliveries VALUES ('01a212f5-4c92-7354-a575-39f42ada0700', '01a212f5-5a90-7158-b43a-bb6b7d0d02d4', '01a212f5-5db0-7672-811f-450e7c4206c1', 'PersonCreated_v1', '2026-11-25 13:46:39.123+00', false, '2026-11-25 13:46:39.92+00', NULL, 0, 0, NULL, '[]');
INSERT INTO public.deliveries VALUES ('01a212f5-4c92-7354-a575-39f42ada0700', '01a212f5-5a90-7158-b43a-bb6b7d0d02d4', '01a212f5-5eba-7091-9619-4842839bff3f', 'PersonCreated_v1', '2026-11-25 13:46:39.123+00', false, '2026-11-25 13:46:40.186+00', NULL, 0, 0, NULL, '[]');
INSERT INTO public.deliveries VALUES ('01a212f5-4c92-7354-a575-39f42ada0700', '01a212f5-5a5b-7255-92a0-cd5650b8cea3', '01a212f5-6078-7467-a426-41702f6f5b21', 'PersonCreated_v1', '2026-11-25 13:46:39.098+00', false, '2026-11-25 13:46:40.632+00', NULL, 0, 0, NULL, '[]');
INSERT INTO public.deliveries VALUES ('01a212f5-4c92-7354-a575-39f42ada0700', '01a212f5-5a85-72b6-bd52-0287723c38ad', '01a212f5-6078-7467-a426-41702f6f5b21', 'PersonCreated_v1', '2026-11-25 13:46:39.116+00', false, '2026-11-25 13:46:40.632+00', NULL, 0, 0, NULL, '[]');
INSERT INTO public.deliveries VALUES ('01a212f5-4c92-7354-a575-39f42ada0700', '01a212f5-5a90-7158-b43a-bb6b7d0d02d4', '01a212f5-6078-7467-a426-41702f6f5b21', 'PersonCreated_v1', '2026-11-25 13:46:39.123+00', false, '2026-11-25 13:46:40.632+00', NULL, 0, 0, NULL, '[]');


--
-- Data for Name: delivery_counts; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.delivery_counts VALUES ('01a212f5-4c92-7354-a575-39f42ada0700', '01a212f5-5ab7-7190-9cb5-e140cb03e5fd', '2026-11-25', 'cancelled', 1);
INSERT INTO public.delivery_counts VALUES ('01a212f5-4c92-7354-a575-39f42ada0700', '01a212f5-5a5b-7255-92a0-cd5650b8cea3', '2026-11-25', 'succeeded', 5);
INSERT INTO public.delivery_counts VALUES ('01a212f5-4c92-7354-a575-39f42ada0700', '01a212f5-5a85-72b6-bd52-0287723c38ad', '2026-11-25', 'dropped', 3);


--
-- Data for Name: events_20261125; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.events_20261125 VALUES ('01a212f5-4c92-7354-a575-39f42ada0700', '01a212f5-5b28-757b-b197-63414102d92a', 'PersonCreated_v1', '{"event_metadata":{"is_test_event":true,"event_id":"01a212f5-5b28-757b-b197-63414102d92a","timestamp":"2026-11-25T13:46:39.272364990Z","source":1,"event_type":"PersonCreated","event_name":"PersonCreated_v1","event_version":1,"organization_id":"01a212f5-4c92-7354-a575-39f42ada0700"},"analytics_metadata":{"analytics_correlation_id":"01a212f5-5b13-75e7-841c-9ace8225d5f6","client_ip_address":"127.0.0.1"},"person_id":"0199a3f2-5c00-7000-8000-0242ac120002","region":"local"}');
INSERT INTO public.events_20261125 VALUES ('01a212f5-4c92-7354-a575-39f42ada0700', '01a212f5-5db0-7672-811f-450e7c4206c1', 'PersonCreated_v1', '{"event_metadata":{"is_test_event":false,"event_id":"01a212f5-5db0-7672-811f-450e7c4206c1","timestamp":"2026-11-25T13:46:39.920878906Z","source":1,"event_type":"PersonCreated","event_name":"PersonCreated_v1","event_version":1,"organization_id":"01a212f5-4c92-7354-a575-39f42ada0700"},"analytics_metadata":{"analytics_correlation_id":"01a212f5-5c30-7152-9e69-be2211868312","client_ip_address":"127.0.0.1"},"person_id":"01a212f5-5d1a-7258-8de7-01ba03721a81","region":"local"}');
INSERT INTO public.events_20261125 VALUES ('01a212f5-4c92-7354-a575-39f42ada0700', '01a212f5-5db0-7673-8228-44e06a189a43', 'AuthenticationSucceeded_v1', '{"event_metadata":{"is_test_event":false,"event_id":"01a212f5-5db0-7673-8228-44e06a189a43","timestamp":"2026-11-25T13:46:39.920878906Z","source":2,"event_type":"AuthenticationSucceeded","event_name":"AuthenticationSucceeded_v1","event_version":1,"organization_id":"01a212f5-4c92-7354-a575-39f42ada0700"},"analytics_metadata":{"analytics_correlation_id":"01a212f5-5c30-7152-9e69-be2211868312","client_ip_address":"127.0.0.1"},"browser_metadata":{"user_agent":"A browser","window_location":""},"person_id":"01a212f5-5d1a-7258-8de7-01ba03721a81","region":"local","success_authn_method":"oidc","authenticated_methods":["oidc"]}');
INSERT INTO public.events_20261125 VALUES ('01a212f5-4c92-7354-a575-39f42ada0700', '01a212f5-5eba-7091-9619-4842839bff3f', 'PersonCreated_v1', '{"event_metadata":{"is_test_event":false,"event_id":"01a212f5-5eba-7091-9619-4842839bff3f","timestamp":"2026-11-25T13:46:40.186481201Z","source":1,"event_type":"PersonCreated","event_name":"PersonCreated_v1","event_version":1,"organization_id":"01a212f5-4c92-7354-a575-39f42ada0700"},"analytics_metadata":{"analytics_correlation_id":"01a212f5-5e97-7653-957b-11f16ee636d7","client_ip_address":"127.0.0.1"},"person_id":"01a212f5-5eb1-745e-bc50-dd97fd2dd4d7","region":"local"}');
INSERT INTO public.events_20261125 VALUES ('01a212f5-4c92-7354-a575-39f42ada0700', '01a212f5-5eba-7092-bdb2-483694efb09d', 'AuthenticationSucceeded_v1', '{"event_metadata":{"is_test_event":false,"event_id":"01a212f5-5eba-7092-bdb2-483694efb09d","timestamp":"2026-11-25T13:46:40.186481201Z","source":2,"event_type":"AuthenticationSucceeded","event_name":"AuthenticationSucceeded_v1","event_version":1,"organization_id":"01a212f5-4c92-7354-a575-39f42ada0700"},"analytics_metadata":{"analytics_correlation_id":"01a212f5-5e97-7653-957b-11f16ee636d7","client_ip_address":"127.0.0.1"},"browser_metadata":{"user_agent":"A browser","window_location":""},"person_id":"01a212f5-5eb1-745e-bc50-dd97fd2dd4d7","region":"local","success_authn_method":"oidc","authenticated_methods":["oidc"]}');
INSERT INTO public.events_20261125 VALUES ('01a212f5-4c92-7354-a575-39f42ada0700', '01a212f5-6078-7467-a426-41702f6f5b21', 'PersonCreated_v1', '{"event_metadata":{"is_test_event":false,"event_id":"01a212f5-6078-7467-a426-41702f6f5b21","timestamp":"2026-11-25T13:46:40.632382812Z","source":1,"event_type":"PersonCreated","event_name":"PersonCreated_v1","event_version":1,"organization_id":"01a212f5-4c92-7354-a575-39f42ada0700"},"analytics_metadata":{"analytics_correlation_id":"01a212f5-6077-77c1-9f13-1d6afe877538","client_ip_address":"127.0.0.1"},"person_id":"01a212f5-6077-77c2-84b6-a4c2517b615f","region":"local"}');


--
-- Data for Name: finished_deliveries_20261125; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.finished_deliveries_20261125 VALUES ('01a212f5-4c92-7354-a575-39f42ada0700', '01a212f5-5a5b-7255-92a0-cd5650b8cea3', '01a212f5-5b28-757b-b197-63414102d92a', 'event', 'PersonCreated_v1', 'succeeded', NULL, 1, '[{"jti": "01a212f5-5b71-71d2-8c83-6fc766d4b95c", "number": 1, "started_at": "2026-11-25T13:46:39.353Z", "duration_ms": 22.877, "status_code": 200}]', NULL, '2026-11-25 13:46:39.382+00');
INSERT INTO public.finished_deliveries_20261125 VALUES ('01a212f5-4c92-7354-a575-39f42ada0700', '01a212f5-5ab7-7190-9cb5-e140cb03e5fd', '01a212f5-5b28-757b-b197-63414102d92a', 'event', 'PersonCreated_v1', 'cancelled', 'trigger_deleted', 0, '[]', NULL, '2026-11-25 13:46:39.402+00');
INSERT INTO public.finished_deliveries_20261125 VALUES ('01a212f5-4c92-7354-a575-39f42ada0700', '01a212f5-5a85-72b6-bd52-0287723c38ad', '01a212f5-5b28-757b-b197-63414102d92a', 'event', 'PersonCreated_v1', 'dropped', 'retry_window_over', 2, '[{"jti": "01a212f5-5b71-71d3-8df4-dc741d36b28f", "answer": "", "number": 1, "started_at": "2026-11-25T13:46:39.356Z", "duration_ms": 21.852, "status_code": 500}, {"jti": "01a212f5-5bd4-7491-b408-b6c639667f67", "answer": "", "number": 2, "started_at": "2026-11-25T13:46:39.444Z", "duration_ms": 4.613, "status_code": 500}]', NULL, '2026-11-25 13:46:39.455+00');
INSERT INTO public.finished_deliveries_20261125 VALUES ('01a212f5-4c92-7354-a575-39f42ada0700', '01a212f5-5a97-70a2-ae54-4292797b7e6f', '01a212f5-5d27-739b-b9d3-3201157804cc', 'sync_hook', 'token_minted', 'succeeded', NULL, 1, '[{"jti": "01a212f5-5d2c-7659-a798-b1e357e9d0ef", "number": 1, "started_at": "2026-11-25T13:46:39.789Z", "duration_ms": 69.423, "status_code": 200}]', '{iss}', '2026-11-25 13:46:39.865+00');
INSERT INTO public.finished_deliveries_20261125 VALUES ('01a212f5-4c92-7354-a575-39f42ada0700', '01a212f5-5a5b-7255-92a0-cd5650b8cea3', '01a212f5-5db0-7673-8228-44e06a189a43', 'event', 'AuthenticationSucceeded_v1', 'succeeded', NULL, 1, '[{"jti": "01a212f5-5e01-7603-a5a2-971632efd600", "number": 1, "started_at": "2026-11-25T13:46:40.043Z", "duration_ms": 22.963, "status_code": 200}]', NULL, '2026-11-25 13:46:40.076+00');
INSERT INTO public.finished_deliveries_20261125 VALUES ('01a212f5-4c92-7354-a575-39f42ada0700', '01a212f5-5a5b-7255-92a0-cd5650b8cea3', '01a212f5-5db0-7672-811f-450e7c4206c1', 'event', 'PersonCreated_v1', 'succeeded', NULL, 1, '[{"jti": "01a212f5-5e01-7604-8497-516c86a9ad96", "number": 1, "started_at": "2026-11-25T13:46:40.044Z", "duration_ms": 23.413, "status_code": 200}]', NULL, '2026-11-25 13:46:40.1+00');
INSERT INTO public.finished_deliveries_20261125 VALUES ('01a212f5-4c92-7354-a575-39f42ada0700', '01a212f5-5a85-72b6-bd52-0287723c38ad', '01a212f5-5db0-7672-811f-450e7c4206c1', 'event', 'PersonCreated_v1', 'dropped', 'retry_window_over', 2, '[{"jti": "01a212f5-5e42-7622-896e-375d16dcbc77", "answer": "", "number": 1, "started_at": "2026-11-25T13:46:40.075Z", "duration_ms": 23.176, "status_code": 500}, {"jti": "01a212f5-5e9e-71e9-8575-05b747e99c27", "answer": "", "number": 2, "started_at": "2026-11-25T13:46:40.158Z", "duration_ms": 4.027, "status_code": 500}]', NULL, '2026-11-25 13:46:40.167+00');
INSERT INTO public.finished_deliveries_20261125 VALUES ('01a212f5-4c92-7354-a575-39f42ada0700', '01a212f5-5a97-70a2-ae54-4292797b7e6f', '01a212f5-5eb1-745f-bed3-0f1f9112e231', 'sync_hook', 'token_minted', 'succeeded', NULL, 1, '[{"jti": "01a212f5-5eb2-7481-97c1-8a28550ca4cd", "number": 1, "started_at": "2026-11-25T13:46:40.178Z", "duration_ms": 4.202, "status_code": 200}]', '{iss}', '2026-11-25 13:46:40.182+00');
INSERT INTO public.finished_deliveries_20261125 VALUES ('01a212f5-4c92-7354-a575-39f42ada0700', '01a212f5-5a5b-7255-92a0-cd5650b8cea3', '01a212f5-5eba-7092-bdb2-483694efb09d', 'event', 'AuthenticationSucceeded_v1', 'succeeded', NULL, 1, '[{"jti": "01a212f5-5edf-767a-9932-c61e7389312c", "number": 1, "started_at": "2026-11-25T13:46:40.235Z", "duration_ms": 4.739, "status_code": 200}]', NULL, '2026-11-25 13:46:40.245+00');
INSERT INTO public.finished_deliveries_20261125 VALUES ('01a212f5-4c92-7354-a575-39f42ada0700', '01a212f5-5a5b-7255-92a0-cd5650b8cea3', '01a212f5-5eba-7091-9619-4842839bff3f', 'event', 'PersonCreated_v1', 'succeeded', NULL, 1, '[{"jti": "01a212f5-5edf-767b-a28d-2df0474726bb", "number": 1, "started_at": "2026-11-25T13:46:40.235Z", "duration_ms": 5.693, "status_code": 200}]', NULL, '2026-11-25 13:46:40.268+00');
INSERT INTO public.finished_deliveries_20261125 VALUES ('01a212f5-4c92-7354-a575-39f42ada0700', '01a212f5-5a85-72b6-bd52-0287723c38ad', '01a212f5-5eba-7091-9619-4842839bff3f', 'event', 'PersonCreated_v1', 'dropped', 'retry_window_over', 2, '[{"jti": "01a212f5-5edf-767c-be37-8bda68b16133", "answer": "", "number": 1, "started_at": "2026-11-25T13:46:40.236Z", "duration_ms": 43.545, "status_code": 500}, {"jti": "01a212f5-5f53-7125-9fc9-f088cb71c0da", "answer": "", "number": 2, "started_at": "2026-11-25T13:46:40.349Z", "duration_ms": 9.362, "status_code": 500}]', NULL, '2026-11-25 13:46:40.381+00');


--
-- Data for Name: flows; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.flows VALUES ('01a212f5-4c92-7354-a575-39f42ada0700', '01a212f5-5c30-7153-b708-b633c5be82e4', 'hIhr9CzMsIHQCXY0G-kXSKuCKJvq42kFW_vkVP4p6jk', '01a212f5-5c30-7152-9e69-be2211868312', '127.0.0.1', 'A browser', '', '01a212f5-5126-72b8-858f-ec031ab3e8f8', '\x154d3663b75714dd18658c579975657da81187b2b360033995b7fad325516321', '\xc525da5520c6fdb58cc8b5b5eb22f1ff5a4b4d0f92682c892667bca47ec326f8', '\x2f1a472ccf059fc18ec5b52197fa9925320058f96ebb75323283825c101b51aeb012e6fed47ebd87b440f80a479f68c2adc65dc09bd478fc048440ee5491b97aa718c1e547575d129ac892e332cb4329feca9fa5c39955f40e1d20cb1e9474590cefaaf6dd655087fa2cfb4d4f65608e8289f4eeea5bf33e002dbe74e07186cb9b999d52a24d05a40743655b8d142ed157260696d6dcc4833bf684a07651f0b57044f355c57927a6acf91668eb5047c70ddf89ca072d65c47a5fab', '2026-11-25 13:46:39.654+00', '2026-11-25 13:46:39.654+00', '2026-11-25 13:46:39.88+00', '2026-11-25 13:49:09.654+00');
INSERT INTO public.flows VALUES ('01a212f5-4c92-7354-a575-39f42ada0700', '01a212f5-5e97-7654-892c-e04879968570', 'kXCpkJtAz_cv_5AUydftc5aHtWnclr7Z5lK6CojnLUp', '01a212f5-5e97-7653-957b-11f16ee636d7', '127.0.0.1', 'A browser', '', '01a212f5-5126-72b8-858f-ec031ab3e8f8', '\x7b920a737cdd79f206fd4be71eea358bdcd32007de289e47e6c33899d89676e3', '\x9c8d37f7c9c86946a0d621e9f1d1d7d4e4f3ffc6dbdfc076c2fde574a02788c9', '\xe56c5960615454982d339c8509d1854a4821e8f3d77f1ea61d82ab713cb1530e0a38ff707a3eb2e0445cc7678d8bc020dec13d49b55f7d19f929695a803760994b6f9476eee6fd4a0e27f2ff4c731a0790c846df7f7d51a2ec8c2dba6df36a5dc1aacca30216c41a63f7d31452f89f243f34f452040ca07187758a0bd315d3d93cd95ae4d69b968d33f1062197c45d0c86d142fdcab119ec6344887048beb6c7b8c8e0a68ebb63e284ad3497486cfdd6c910ae69d6c0671a55977f', '2026-11-25 13:46:40.164+00', '2026-11-25 13:46:40.164+00', '2026-11-25 13:46:40.184+00', '2026-11-25 13:49:10.164+00');
INSERT INTO public.flows VALUES ('01a212f5-4c92-7354-a575-39f42ada0700', '01a212f5-5fc7-7731-aa83-c3e38fee46fc', '4EDhJllh3McaFVahzkBMUuiiIEPuZwvBvNBeZbqZMCV', '01a212f5-5fc7-7730-9933-5d96447c70b0', '127.0.0.1', 'A browser', '', '01a212f5-5126-72b8-858f-ec031ab3e8f8', '\x48905f165bb29e9e77bede9cf4dd452c1cc27acabc7ff3a1c3d4206c8a03d0e7', '\x6b426687f5389c9ec31d62ffecf0cf8db3750fc9ac5c45b822ac73a5d619735f', '\x1c36535de0652ec502413c38500e7165f845bd60e1395cab986e0d232846bd5e8c2a512d425aa01e2153736b601564967738ef3fc907ceb4267cb9aa374b627d7663db0877f4ba1a9731fd3673359bbfadf5fa3498742eb2fd46f90b4a0dc8ff6c098630ed0ce022ffa783f014d6072fb6f26ae72d0f17caf2b147bd9cd06db4c06a4a5a3550f78d716739b21b3f60f82d0d251fe347dfc70bec8e1fb35f63f6d17d34709ac5d9a95295fa5888b556d1c541bec81ab920c46df933', NULL, NULL, NULL, '2026-11-25 14:01:40.466+00');


--
-- Data for Name: former_identities; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.former_identities VALUES ('01a212f5-4c92-7354-a575-39f42ada0700', '01a212f5-5eb1-745e-bc50-dd97fd2dd4d7', 'provider_a', 'http://127.0.0.1:35239', '\x46fdae29620a12a9aacbbc73f5fc7aeb4eb997d686bfb289be1dae882cfb61e0');


--
-- Data for Name: groups; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.groups VALUES ('01a212f5-4c92-7354-a575-39f42ada0700', 'engineering', '', '2026-11-25 13:46:39.506+00');


--
-- Data for Name: handles; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.handles VALUES ('01a212f5-4c92-7354-a575-39f42ada0700', '01a212f5-5d1a-7258-8de7-01ba03721a81', 'EmailAddress', 'ada@gmail.com', 'ada@gmail.com', true, 'http://127.0.0.1:35239', 0);
INSERT INTO public.handles VALUES ('01a212f5-4c92-7354-a575-39f42ada0700', '01a212f5-5eb1-745e-bc50-dd97fd2dd4d7', 'EmailAddress', 'grace@gmail.com', 'grace@gmail.com', true, 'http://127.0.0.1:35239', 0);
INSERT INTO public.handles VALUES ('01a212f5-4c92-7354-a575-39f42ada0700', '01a212f5-6077-77c2-84b6-a4c2517b615f', 'PhoneNumber', '+4930123456', '+4930123456', false, NULL, 0);


--
-- Data for Name: identities; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.identities VALUES ('01a212f5-4c92-7354-a575-39f42ada0700', '01a212f5-5d88-7667-8f50-5090efafc7e6', '01a212f5-5d1a-7258-8de7-01ba03721a81', 'provider_a', 'http://127.0.0.1:35239', 'ada-1', '01a212f5-5126-72b8-858f-ec031ab3e8f8', 'ada@gmail.com', '2026-11-25 13:46:39.88+00');


--
-- Data for Name: installation; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.installation VALUES (true, 'https://id.signet.test', '\x01d9b7fc8fa8bf38583826415634946d4a266f049096033b21edd5808a0bd9c7c096730765882ff0366863');


--
-- Data for Name: issuer_grants; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.issuer_grants VALUES ('01a212f5-4c92-7354-a575-39f42ada0700', 'VV0pniZKhWDcwyWtk3m85PYmy8lNt8ClThWbQqQ0iom', '01a212f5-5d1a-7258-8de7-01ba03721a81', NULL, '{"iat":1795614400,"exp":1803394060,"clientId":"01a212f5-5238-7459-a518-0c41a72a1cdb","accountId":"01a212f5-5d1a-7258-8de7-01ba03721a81","kind":"Grant","openid":{"scope":"openid offline_access"}}', '{"department":"engineering"}', '{oidc}', '2027-02-23 14:47:40.022+00');


--
-- Data for Name: issuer_interactions; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.issuer_interactions VALUES ('01a212f5-4c92-7354-a575-39f42ada0700', '4EDhJllh3McaFVahzkBMUuiiIEPuZwvBvNBeZbqZMCV', '{"iat":1795614400,"exp":1795615300,"returnTo":"https://id.signet.test/oidc/01a212f5-4c92-7354-a575-39f42ada0700/authorize/4EDhJllh3McaFVahzkBMUuiiIEPuZwvBvNBeZbqZMCV","prompt":{"name":"login","reasons":["sign_in"],"details":{}},"params":{"client_id":"01a212f5-5238-7459-a518-0c41a72a1cdb","code_challenge":"GzwEazPZBUyfkpp-wIGcrJ-8oRHERE5GwcgEemn_QdU","code_challenge_method":"S256","nonce":"dIwDTy1GJncO7QGcX_BOcsVrb7NP0Hgz-QotH25H2zI","redirect_uri":"https://app.test/callback","response_type":"code","scope":"openid","state":"IEABbhDsUUUVkAqdiI8NtRQUwNODyKYdp1GwOHIXX4M"},"cid":"cQxiQfzL9Y7KUsF4a89-vaNG9GQUehgbSMG-0m_xbgL","kind":"Interaction","jti":"4EDhJllh3McaFVahzkBMUuiiIEPuZwvBvNBeZbqZMCV"}', '', NULL, NULL, '2026-11-25 14:01:40.442+00');


--
-- Data for Name: issuer_keys; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.issuer_keys VALUES ('01a212f5-4c92-7354-a575-39f42ada0700', 'aB3GOHlIk89Iyc6aJpUmVyWLZEjcqGLSN6XNKFCrtKA', 'ES256', '\x01d9b7fc8fa8bf38583dd2cdec6fe67bd09349b63122114a93aa1febf039a7f18089f1a62a6a64ba8d621b977d0ec6e5ef55b0f450b81b4da1faa863d001dd365fb4c6667078b6e0b1aa2b10d38b0a7a0a12383c5d66b5477a8f7dd055b4423267121ff08087da98f86fb02bcfe7c0d7643596a8b33d424e4cbf271037340e43621d25e4e8e425890cb3d3c6d58e0fbcb6fa1be25fa210b9dab4b5da5630a94a034f557f5f0c97b18d5a9ef4590959', '2026-11-25 13:46:37.767+00', '2026-11-25 13:46:37.767+00', NULL);
INSERT INTO public.issuer_keys VALUES ('01a212f5-4c92-7354-a575-39f42ada0700', 'nFU_ls-HMcEAI-EY0dgGY-yNJkilCq0_Pl5Zi6J1n9Y', 'ES256', '\x01d9b7fc8fa8bf38589399a46689c8351ee0d259434113a44a11c2503c64c417ffeb611a21a1aa529eed3c596575719f262158ebeea3436c0293664256fcdf6c24305209d317e659c64fd016db4a377ea4202df0786233bdaefe4f160a8ed8ebaf82bd20f8c890213512ea25750a683ddb0309107614723603db36eba0fe0e6658f9ae896e37c4401752d0c22a93f4f6be5b69478db2b6b155311444d60e75e1437443b319634911ecda22387c68d2', '2026-11-25 13:46:37.767+00', NULL, NULL);
INSERT INTO public.issuer_keys VALUES ('01a212f5-4c92-7354-a575-39f42ada0700', 'VQG-Kx5_VEtze5weqsKVji-ydo9SzDgJuT5FKvLw83w', 'RS256', '\x01d9b7fc8fa8bf3858aa50b3a24775bb3930dc1379caefb57d3cc0c28068d9051efd8d03d3129e6d6af9fea76d6fb4ced9e058bd3c5240d8dc333fc546d1850f112163b95b666aede78fe0703f1e94913b779f61d2ae8077904db3fa9975de83fb2a9a80f8c7770512266365e791b82b1a6187e7674637635b44c29dc8bf4a5f64495d7bdab8ea5341eba5ac23ea99d7f7373ed08688824df7212bc7dc0ad4fc28761a4ee49c57cf0f9324cb34a6e50e73d16b0bc01a9dd5ef29127658fbb02621753a34a2fdd743b46f69c2f252cdef9e19f4017c54c8319c86c652ebb8db1428294df322b99ba571aa20c785b278068633141de553e6e242f43888a954d4493a27da73f3f37ca222afb5247e38fa3afefeb2fdd98ae62ef8f4bb8a84e4fc9e62c94ed4b94ee4f5b70a0874a1edaa992bb9c02b0b06416aa335fb710076a0a62deaed64b678cfe224228b0ee0d1be9f8f96d297393820b70757451e162a71b4bf1c357f5ffe44fce62e9fdae5f88596ce91cc65438c700b42ecc04418a157804e2710cc6a3a1ea3745c01eaeabe39ea9f40808ef1a330913f2b09b70789532d1bdec60c661f5d76ea2e469606b101155bd81158ac5974c229fc0e1ee2857ceb86ee2be03b725aeb946285117f9703ae798dea9acbb4415441975875211cead6ab5510b944c811fad722b589e4805c63d175cf73d7022c41bdc3f3772fe98b5bba3fd4ac797141b278ac77de04776e66528d4970274a0d01979534ce3fc6771d393786c1da398848e4e7cce3e6afe7dd30386d0cecc26c938fb148154e5a4153aabebe09b55c6b4360d6df66b2b3ddb7e4997a2b0b599529e3cf4cbd0a22b190ee3fef37868f36f515b17f965c4786abfe68de5f1e80b8a3be75697c5dca8e51d403b88e64014690a87591b1a94021096edcdc8c58bb71e03a4115e4c9813cc4c5f2ea7932770d74c073ce75c28bdb8f040954f94b040be06e960f8bb0bf7cf0d213c7a931ae09e479ea2b2c6f6b112ec60c86faeaffb84bd42621f579e8e1830190ab3e856ad18ba25e20ed81092d049b211e44f72038f0cd7b4cd0f080b82c9a66afe81a2d2a93eafc8b0512223984e652c99ec6441d814a756497d5a2747f44d80031925aca28c0edf96de1a5577d55ba004c59dae88654b903d54900060a7333c963d5445e9e0e78efae50d578b77eb15cf796d734ad558705c62a303450c3b4700199046fb885079bdbee037dd380e5a9f2123525e310450b6d6313411fad68c10507bca894a64ded256b4f733305b21e2337f6145dd96119ea4956459b95880f1f2afba6c32bf0323a43fc2a663d535b99915110ffbb4d995e3bae2931b5851d3fdd0bbf219d6d136e39d00f0c080892f881768d180fa1d728005b92ecbb67103149a0d07bb98f1643e1cf17a7841d22ae627fe8b3537a7e55904de94aae8d56e2fb21e4f36744ea1478476c410e525e9b5f952348c994410d3de27aee759ceff7459aec66080dbedbb70a8d3ccc2894ae789191eab748c9e560824c5268a959cc8e4bd5876ae1ce8c5d032c1fad3c747dda2b9378367193f3f9de72777ddbd3a81b95ee7c850b9a3adef016d46cf8d9444cd020930986a53ffaf830ad0b088ee0baf8c23fa5690918caec2d17f59f5ffda6c9bda287ff1fd40b4944f38642b793783c9db1f4833ec4e0e487cb01a0a547fafc3eda17f3e1ad2dbe64556d04650e05faa074ac80175d499f44d3832480241b058eaa58b424654c421f72c6963e5dc06b', '2026-11-25 13:46:37.767+00', '2026-11-25 13:46:37.767+00', NULL);
INSERT INTO public.issuer_keys VALUES ('01a212f5-4c92-7354-a575-39f42ada0700', 'pEghbB3wT2AhzEWXdPT4JzdMGU1YEgVNVIgFuQLyPD8', 'RS256', '\x01d9b7fc8fa8bf3858e20ab6d794067d57e8b492d7ca52972a1b62b991cbee65565243c357662beedc6422540f62bd8c7d7dc3be0acbccac2367c7e9513d2f096737abdf9e0c1982a56c0443ad8943af7b7fb7cd75a03e165c38fbb7b5a5e82086166ed52d1c852f5c03b6f48d103ecdfe1d8fc6ad756c441d7d0d99a3b82339095fc96343eb25b46642e08f85bcb061fbd33f27c5171d24b3af580071056c1a3b31d4b66e313ee6ec8f2db165a7eabd2d6d9bb0edb6e53645283ca211094875dadd0e81773fa0895aea6da002cd149f48cdbec3aa0fb8abc790198d89e18cfacc7ad05640f72f07c7914b4adf5f81fbc73dd56c18335eaa44344f1a777a614cff4bc5b3bf8a80e2dfe28524baa391bf6c1bc96c7bb45dcccd6cb9ac006ae25561c3a1cd6416558488c2f1395fd55f0d095eecef83bbee357b2bc7adeb69cebb7765c77adad03a6ea98fb76f9169a2e2375fbccccf936c27620b54376563a732308ea0a0137d317a47286334cdd1c9fb36e28e0e20bf556611476aad72b71b77faf472117eb115c9077bccf1d3084f1b6cf6af755d289b814be4fef10eb8c977b0e1765f1b4707565ce7cb0e7f0b9fd741d40d82b5d44606616fe3446a64da69916036e0b36d4d3834ad30ef0afa0c09dd098d3922b7df7f1f1108e8a50b627dea1035cbf5d002cc22e92d51781dd755e1760bc4878f585fb8e08f45a8aacd46b1cd5c336c535594c61673c97ff2c1611027f241af767f26abc5956b7663c0d42128b1c683ee6c9da80314e656af8d962709f76dfdb75c7f754bed7bd6ea12a11b78212eafb39cf2eafdd8320939b6c7835b3a073918bf619c2391b156293a6fbeaa8f7472deaad34a3ca67301e1d5a5e0cc0d73c8ad2e5c44ba87bc6c2d534e0f25001fd981c6b95d967616e4e7e979337aedd7991cf1d57e492a5d142f8205e0be922eef6dec03108d457bf1ccbd860dd0171f594906455042dd5d9cb683706d3139460abed4959c19388770e9e68c704c27595bff82e916d4c3a28a6672589caf7f4877e0a2ba4e327d2b1502c1a69bd6d674eca6cc35e44adebb06171c2b18600ca2b74e389cc369ce8601c201bfdd40c489bfb9e3ab2b9ab1f12f8a01d35d83511d1b4197d0d56d53616dfa7d0f4ba37c1efa349a33e9cc0107f7649b3724e4276b9f52343f98de2373ee265fcb13ee0a12f47eae9873b022112dcbc78111b9d4f7b353969851902941102a9630f41c0e2692a0f65ec0944fe5b0d5cada0b4a9b419023c4a96a8b9248bcc3c32ee48a9015e310e1406da564d7ef86db98fe5772728f697673de3dbc02acea6e5bbca75c9be4bdbd64708e99e6513006ae85bd143fb8dae1930f522e405645d5dc6e845cbbda9fc40d30d4d3ae22a5af394c1d680fc74c2445a613b77480328304e07cb1824d457b9eeabd868eb8957da934ae3a9002fa899a310e4f3a55d3eff7cad0612fde2209ecc2f81b68d9aeefa4385a518b30d1f571c554c2d7b21217e4f5cc470215f3abf5fbf6717beca84d2445638eb032d5a65a77585e5383d5d6589ee84ba7cb8be3e1967fa331135ecf4fb97b1a321379ba6d2b5b13b458dfcc7d17150346560c0822d3ff38451797e537eff5101c498450f6f6cb0ce587885fd25e6a5818ee1803f118b125911bda5744b1aa80c9253daf3e9d9c4ca875fd62ba2f79c4b70433a7dffde71f69ee6538e583c919f511bbbb4a048510d9308a945bbf9cafe46cb7314b23bd5ff84737ea46aa8829d085ae', '2026-11-25 13:46:37.767+00', NULL, NULL);


--
-- Data for Name: issuer_sessions; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.issuer_sessions VALUES ('01a212f5-4c92-7354-a575-39f42ada0700', 'YksdCaDhroxm5pQjsIl00UKgkGPY_yNX4AWBquXLGA8', '\x9401f235eb07cb1dfe8151609039482f963d9666368d95da4e1af9e89054bb36', '01a212f5-5d1a-7258-8de7-01ba03721a81', '01a212f5-5126-72b8-858f-ec031ab3e8f8', '[{"handle":{"type":"EmailAddress","value":"ada@gmail.com"},"method":"oidc","timestamp":"2026-11-25T13:46:39.770Z"}]', '{"iat":1795614400,"exp":1796823999,"kind":"Session","uid":"YksdCaDhroxm5pQjsIl00UKgkGPY_yNX4AWBquXLGA8","accountId":"01a212f5-5d1a-7258-8de7-01ba03721a81","loginTs":1795614399,"authorizations":{"01a212f5-5238-7459-a518-0c41a72a1cdb":{"sid":"18PYRiu44qfsOdEX6oWkawUfmH817z8mk_JCLAJIkxG","grantId":"VV0pniZKhWDcwyWtk3m85PYmy8lNt8ClThWbQqQ0iom","persistsLogout":true}}}', '2026-12-09 13:46:39.77+00');


--
-- Data for Name: issuer_tokens; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.issuer_tokens VALUES ('01a212f5-4c92-7354-a575-39f42ada0700', '\xa1eb670207e4f6eff0d443dab47095de23a9ff0f8a65e727c278369188a49a10', 'AuthorizationCode', 'VV0pniZKhWDcwyWtk3m85PYmy8lNt8ClThWbQqQ0iom', '{"iat":1795614400,"exp":1795614460,"accountId":"01a212f5-5d1a-7258-8de7-01ba03721a81","authTime":1795614399,"codeChallenge":"_3Gp40MIEQ09WH7pbiaaMX4j3uHLvSNCYjZyFQ9MREA","codeChallengeMethod":"S256","grantId":"VV0pniZKhWDcwyWtk3m85PYmy8lNt8ClThWbQqQ0iom","nonce":"9IBJt1ntY3_rvFJH3ysRKK8FG-FTugyaAzPUzith7xM","redirectUri":"https://app.test/callback","scope":"openid offline_access","sessionUid":"YksdCaDhroxm5pQjsIl00UKgkGPY_yNX4AWBquXLGA8","kind":"AuthorizationCode","clientId":"01a212f5-5238-7459-a518-0c41a72a1cdb"}', '2026-11-25 13:46:40.108717+00', 1, '2026-11-25 13:47:40.021+00');
INSERT INTO public.issuer_tokens VALUES ('01a212f5-4c92-7354-a575-39f42ada0700', '\x061815cee70d8a151742f3aff170326808fd42a2dbf8e04311dd24fe03fe43d3', 'AccessToken', 'VV0pniZKhWDcwyWtk3m85PYmy8lNt8ClThWbQqQ0iom', '{"iat":1795614400,"exp":1795618000,"accountId":"01a212f5-5d1a-7258-8de7-01ba03721a81","grantId":"VV0pniZKhWDcwyWtk3m85PYmy8lNt8ClThWbQqQ0iom","gty":"authorization_code","sessionUid":"YksdCaDhroxm5pQjsIl00UKgkGPY_yNX4AWBquXLGA8","kind":"AccessToken","clientId":"01a212f5-5238-7459-a518-0c41a72a1cdb","scope":"openid offline_access"}', NULL, 0, '2026-11-25 14:46:40.098+00');
INSERT INTO public.issuer_tokens VALUES ('01a212f5-4c92-7354-a575-39f42ada0700', '\x1af8ce3ab525565e997375bc693c7f620c95b0c60911ee47e91355d5cdf833a2', 'RefreshToken', 'VV0pniZKhWDcwyWtk3m85PYmy8lNt8ClThWbQqQ0iom', '{"iat":1795614400,"exp":1798206400,"accountId":"01a212f5-5d1a-7258-8de7-01ba03721a81","authTime":1795614399,"grantId":"VV0pniZKhWDcwyWtk3m85PYmy8lNt8ClThWbQqQ0iom","gty":"authorization_code","nonce":"9IBJt1ntY3_rvFJH3ysRKK8FG-FTugyaAzPUzith7xM","rotations":0,"scope":"openid offline_access","sessionUid":"YksdCaDhroxm5pQjsIl00UKgkGPY_yNX4AWBquXLGA8","kind":"RefreshToken","clientId":"01a212f5-5238-7459-a518-0c41a72a1cdb","iiat":1795614400}', NULL, 0, '2026-12-25 13:46:40.098+00');


--
-- Data for Name: lanes; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.lanes VALUES ('01a212f5-4c92-7354-a575-39f42ada0700', '01a212f5-5a97-70a2-ae54-4292797b7e6f', 'infinity', 0, 1, false, NULL, false, false, NULL, '-infinity', NULL, '-infinity');
INSERT INTO public.lanes VALUES ('01a212f5-4c92-7354-a575-39f42ada0700', '01a212f5-5ab7-7190-9cb5-e140cb03e5fd', 'infinity', 0, 1, false, '01a212f5-4842-746a-a4be-0e4441de717c', false, false, NULL, '-infinity', NULL, '2026-11-25 13:46:39.38+00');
INSERT INTO public.lanes VALUES ('01a212f5-4c92-7354-a575-39f42ada0700', '01a212f5-5a5b-7255-92a0-cd5650b8cea3', '2026-11-25 13:46:40.638+00', 0, 277, false, '01a212f5-4842-746a-a4be-0e4441de717c', true, false, NULL, '-infinity', NULL, '-infinity');
INSERT INTO public.lanes VALUES ('01a212f5-4c92-7354-a575-39f42ada0700', '01a212f5-5a85-72b6-bd52-0287723c38ad', '2026-11-25 13:46:40.638+00', 0, 1, false, '01a212f5-4842-746a-a4be-0e4441de717c', false, true, '2026-11-25 13:46:39.402+00', '2026-11-25 13:46:40.381+00', NULL, '-infinity');
INSERT INTO public.lanes VALUES ('01a212f5-4c92-7354-a575-39f42ada0700', '01a212f5-5a90-7158-b43a-bb6b7d0d02d4', '2026-11-25 13:46:39.286+00', 0, 1, false, NULL, false, false, NULL, '-infinity', 'requested', '-infinity');


--
-- Data for Name: memberships; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.memberships VALUES ('01a212f5-4c92-7354-a575-39f42ada0700', '01a212f5-5d1a-7258-8de7-01ba03721a81', 'engineering');


--
-- Data for Name: oidc_credentials; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.oidc_credentials VALUES ('01a212f5-4c92-7354-a575-39f42ada0700', '01a212f5-5126-72b8-858f-ec031ab3e8f8', 'signet', 'provider_a', '\x01d9b7fc8fa8bf3858d0ee70f4d910009dd96b380b096d6cfff070b67273bc873b642bc0307160f0746b132177d21bbb84649aeb66332374d705bf2769f845088c32f289cf1c1d327322ff75f5', '', '', '{}', NULL, 1);


--
-- Data for Name: organizations; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.organizations VALUES ('01a212f5-4c92-7354-a575-39f42ada0700', 'Kept', 'unlimited', true, '{}', false, '2026-11-25 13:46:35.538+00', NULL);


--
-- Data for Name: persons; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.persons VALUES ('01a212f5-4c92-7354-a575-39f42ada0700', '01a212f5-5d1a-7258-8de7-01ba03721a81', true, 'local', '2026-11-25 13:46:39.88+00');
INSERT INTO public.persons VALUES ('01a212f5-4c92-7354-a575-39f42ada0700', '01a212f5-5eb1-745e-bc50-dd97fd2dd4d7', true, 'local', '2026-11-25 13:46:40.184+00');
INSERT INTO public.persons VALUES ('01a212f5-4c92-7354-a575-39f42ada0700', '01a212f5-6077-77c2-84b6-a4c2517b615f', true, 'local', '2026-11-25 13:46:40.631+00');


--
-- Data for Name: schema_migrations; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.schema_migrations VALUES ('0001_organizations.sql', 'baf686cdaa07792d2898d0451f26e593aaba1cbb6bcf3eca40ee81345279272e', false, '2026-11-25 13:46:24.747941+00');
INSERT INTO public.schema_migrations VALUES ('0002_verification_keys.sql', 'fbc62c6a79309cd758848fac512588be881b575dcea2126ccf29a0a07bf1ecd2', false, '2026-11-25 13:46:24.79274+00');
INSERT INTO public.schema_migrations VALUES ('0003_groups_and_persons.sql', '01ae7cdb67faef589fca2540d10141a90fa7ab3d1b8591ca879b7bad4eb5c3ac', false, '2026-11-25 13:46:24.81668+00');
INSERT INTO public.schema_migrations VALUES ('0004_webhooks.sql', 'a6f0b6ffcde81fd57f1ae90a0e1603cf98df888fe974622756e573da71072a54', false, '2026-11-25 13:46:24.891262+00');
INSERT INTO public.schema_migrations VALUES ('0005_events.sql', '6a4a5696d11b33bc8e8403e387b722619ee8a307c6a5adc3c5867772510fe354', false, '2026-11-25 13:46:24.920377+00');
INSERT INTO public.schema_migrations VALUES ('0006_deliveries.sql', 'bd0c7ff3a83334e6c7d00b0ab38d6f777c8c3bb8039f1c4200ec50db9f2029da', false, '2026-11-25 13:46:24.930621+00');
INSERT INTO public.schema_migrations VALUES ('0007_credentials_and_applications.sql', 'c4a0f209e4cede31d33542d29fb6145042533fa3d6d2ca2640b983bcc9f66fe4', false, '2026-11-25 13:46:24.99967+00');
INSERT INTO public.schema_migrations VALUES ('0008_issuer.sql', '7a2de6cb4f9555dbb50d26404061d966ad69356af52049b6bf1e66e60682d65b', false, '2026-11-25 13:46:25.020777+00');
INSERT INTO public.schema_migrations VALUES ('0009_sign_in.sql', 'effcd373407e468dfca5808f07516492439535b811a373dd47f358500920cf39', false, '2026-11-25 13:46:25.125422+00');


--
-- Data for Name: signing_keys; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.signing_keys VALUES ('01a212f5-4c92-7354-a575-39f42ada0700', '5oKhREDCynvd9--50kmU_v_sK1mpXSu_gKi0WG8M2T8', '{"alg":"ES256","crv":"P-256","key_ops":["verify"],"kid":"5oKhREDCynvd9--50kmU_v_sK1mpXSu_gKi0WG8M2T8","kty":"EC","use":"sig","x":"g1HvbBJKkL-dB3RbN6NICSMnQgQhO7Kvq-FK1R_6-cw","y":"geqTxe-vK9E23VATwSjgHH_VGsnMpzq_CCHUJlFVNig"}', '\x01d9b7fc8fa8bf38585e864d237d5b227417e366aad08c6a0331861ff123f87d10973ddf40cfa9e5603de99a42ee8a9f9afd255696fbf3b5f6159314638541e5eedeb122535568d03a9e04b2119fbe5b2f645de0b4e4f37c50a9c4941f55964a63cd4defe6101428cd7b5dad540dba3393746a707d2a8ec5331d963885cd77cc42342f2c72e178eac001a3b020e6e419390c9dca8c7e2b8a9cea2715f30ee4fd4436bfe53f21ff0270548377d06010', '2026-11-25 13:46:35.561+00', '2026-11-25 13:46:35.561+00', NULL);
INSERT INTO public.signing_keys VALUES ('01a212f5-4c92-7354-a575-39f42ada0700', 'gn60Y9KK81lemoyay2w1hUHsGiOInSNUQYWp0WFEBqo', '{"alg":"ES256","crv":"P-256","key_ops":["verify"],"kid":"gn60Y9KK81lemoyay2w1hUHsGiOInSNUQYWp0WFEBqo","kty":"EC","use":"sig","x":"DLJ2JEeJtnldeIa8jU2Lz6TZkGAHqGZtnOi2Dr5pGh0","y":"41gRX00LSY7x2zUS_WKTwG6iMTLaE771YlVja8MUfMo"}', '\x01d9b7fc8fa8bf38585ebea9f534a7c63c9206b764322a85eb5a34017a5a2ad3b6c94c87f57f118b01c752675daac7df335258bdb2b7c4355486053171ef8f97051b252a5d09fe3c2202eb32d9823b827b37e3759e9609df75461411f3065ab97da1663b70a9456b5933de3b36b3c493648e2bb2ef2ed9e23924604b9025c99dd679d9c6107f192a84ccf428330f57aac8be34b85f2ab09a31434ccc43a3f1aeb060949776118a6b591b459a547c77', '2026-11-25 13:46:35.561+00', NULL, NULL);


--
-- Data for Name: test_event_allowances; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.test_event_allowances VALUES ('01a212f5-4c92-7354-a575-39f42ada0700', 99999, '2026-11-25 13:46:39.264+00');


--
-- Data for Name: triggers; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.triggers VALUES ('01a212f5-4c92-7354-a575-39f42ada0700', '01a212f5-5a5b-7255-92a0-cd5650b8cea3', 'event', 'AuthenticationSucceeded_v1', 'fail', '2026-11-25 13:46:39.078+00');
INSERT INTO public.triggers VALUES ('01a212f5-4c92-7354-a575-39f42ada0700', '01a212f5-5a5b-7255-92a0-cd5650b8cea3', 'event', 'AuthenticationFailed_v1', 'fail', '2026-11-25 13:46:39.086+00');
INSERT INTO public.triggers VALUES ('01a212f5-4c92-7354-a575-39f42ada0700', '01a212f5-5a5b-7255-92a0-cd5650b8cea3', 'event', 'VirtualPageLoaded_v1', 'fail', '2026-11-25 13:46:39.093+00');
INSERT INTO public.triggers VALUES ('01a212f5-4c92-7354-a575-39f42ada0700', '01a212f5-5a5b-7255-92a0-cd5650b8cea3', 'event', 'PersonCreated_v1', 'fail', '2026-11-25 13:46:39.098+00');
INSERT INTO public.triggers VALUES ('01a212f5-4c92-7354-a575-39f42ada0700', '01a212f5-5a5b-7255-92a0-cd5650b8cea3', 'event', 'PersonDeleted_v1', 'fail', '2026-11-25 13:46:39.101+00');
INSERT INTO public.triggers VALUES ('01a212f5-4c92-7354-a575-39f42ada0700', '01a212f5-5a85-72b6-bd52-0287723c38ad', 'event', 'PersonCreated_v1', 'fail', '2026-11-25 13:46:39.116+00');
INSERT INTO public.triggers VALUES ('01a212f5-4c92-7354-a575-39f42ada0700', '01a212f5-5a90-7158-b43a-bb6b7d0d02d4', 'event', 'PersonCreated_v1', 'fail', '2026-11-25 13:46:39.123+00');
INSERT INTO public.triggers VALUES ('01a212f5-4c92-7354-a575-39f42ada0700', '01a212f5-5a97-70a2-ae54-4292797b7e6f', 'sync_hook', 'token_minted', 'fail', '2026-11-25 13:46:39.152+00');


--
-- Data for Name: webhooks; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.webhooks VALUES ('01a212f5-4c92-7354-a575-39f42ada0700', '01a212f5-5a5b-7255-92a0-cd5650b8cea3', 'https://receiver.test:44223/events', 'https://receiver.test:44223/events', 'Test webhook', '', '\x01d9b7fc8fa8bf38587c7555347fd0b1025aa7ae1d6c10eb9859452559d9eda96383e3dac25a11e824caa2f63afcee18490240f947f9140eae5cb991da24dd452e734e9a484a7f848e88f4168069631cf87d8ff8eb', 0, '2026-11-25 13:46:39.067+00');
INSERT INTO public.webhooks VALUES ('01a212f5-4c92-7354-a575-39f42ada0700', '01a212f5-5a85-72b6-bd52-0287723c38ad', 'https://receiver.test:44223/failing', 'https://receiver.test:44223/failing', 'Test webhook', '', NULL, 0, '2026-11-25 13:46:39.109+00');
INSERT INTO public.webhooks VALUES ('01a212f5-4c92-7354-a575-39f42ada0700', '01a212f5-5a97-70a2-ae54-4292797b7e6f', 'https://receiver.test:44223/hook', 'https://receiver.test:44223/hook', 'Test webhook', '', NULL, 0, '2026-11-25 13:46:39.127+00');
INSERT INTO public.webhooks VALUES ('01a212f5-4c92-7354-a575-39f42ada0700', '01a212f5-5a90-7158-b43a-bb6b7d0d02d4', 'https://receiver.test:44223/paused', 'https://receiver.test:44223/paused', 'Test webhook', '', NULL, 0, '2026-11-25 13:46:39.12+00');
INSERT INTO public.webhooks VALUES ('01a212f5-4c92-7354-a575-39f42ada0700', '01a212f5-5ab7-7190-9cb5-e140cb03e5fd', 'https://receiver.test:44223/removed', 'https://receiver.test:44223/removed', 'Test webhook', '', NULL, 0, '2026-11-25 13:46:39.159+00');


--
-- Data for Name: workers; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.workers VALUES ('01a212f5-4842-746a-a4be-0e4441de717c', '2026-11-25 13:46:34.903932+00', NULL);


--
-- Name: api_keys api_keys_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_pkey PRIMARY KEY (org_id, id);


--
-- Name: applications applications_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.applications
    ADD CONSTRAINT applications_pkey PRIMARY KEY (org_id, client_id);


--
-- Name: deliveries deliveries_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.deliveries
    ADD CONSTRAINT deliveries_pkey PRIMARY KEY (org_id, webhook_id, event_id) WITH (fillfactor='50');


--
-- Name: delivery_counts delivery_counts_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.delivery_counts
    ADD CONSTRAINT delivery_counts_pkey PRIMARY KEY (org_id, webhook_id, day, status);


--
-- Name: events events_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.events
    ADD CONSTRAINT events_pkey PRIMARY KEY (org_id, id);


--
-- Name: events_20261125 events_20261125_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.events_20261125
    ADD CONSTRAINT events_20261125_pkey PRIMARY KEY (org_id, id);


--
-- Name: finished_deliveries finished_deliveries_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.finished_deliveries
    ADD CONSTRAINT finished_deliveries_pkey PRIMARY KEY (org_id, webhook_id, event_id);


--
-- Name: finished_deliveries_20261125 finished_deliveries_20261125_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.finished_deliveries_20261125
    ADD CONSTRAINT finished_deliveries_20261125_pkey PRIMARY KEY (org_id, webhook_id, event_id);


--
-- Name: flows flows_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.flows
    ADD CONSTRAINT flows_pkey PRIMARY KEY (org_id, id);


--
-- Name: former_identities former_identities_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.former_identities
    ADD CONSTRAINT former_identities_pkey PRIMARY KEY (org_id, provider, issuer, subject_hash, person_id);


--
-- Name: groups groups_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.groups
    ADD CONSTRAINT groups_pkey PRIMARY KEY (org_id, name);


--
-- Name: handles handles_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.handles
    ADD CONSTRAINT handles_pkey PRIMARY KEY (org_id, type, key);


--
-- Name: identities identities_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.identities
    ADD CONSTRAINT identities_pkey PRIMARY KEY (org_id, id);


--
-- Name: installation installation_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.installation
    ADD CONSTRAINT installation_pkey PRIMARY KEY (only_row);


--
-- Name: issuer_grants issuer_grants_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.issuer_grants
    ADD CONSTRAINT issuer_grants_pkey PRIMARY KEY (org_id, id);


--
-- Name: issuer_interactions issuer_interactions_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.issuer_interactions
    ADD CONSTRAINT issuer_interactions_pkey PRIMARY KEY (org_id, uid);


--
-- Name: issuer_keys issuer_keys_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.issuer_keys
    ADD CONSTRAINT issuer_keys_pkey PRIMARY KEY (org_id, kid);


--
-- Name: issuer_sessions issuer_sessions_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.issuer_sessions
    ADD CONSTRAINT issuer_sessions_pkey PRIMARY KEY (org_id, uid);


--
-- Name: issuer_tokens issuer_tokens_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.issuer_tokens
    ADD CONSTRAINT issuer_tokens_pkey PRIMARY KEY (org_id, id_hash);


--
-- Name: lanes lanes_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.lanes
    ADD CONSTRAINT lanes_pkey PRIMARY KEY (org_id, webhook_id);


--
-- Name: memberships memberships_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.memberships
    ADD CONSTRAINT memberships_pkey PRIMARY KEY (org_id, person_id, group_name);


--
-- Name: oidc_credentials oidc_credentials_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.oidc_credentials
    ADD CONSTRAINT oidc_credentials_pkey PRIMARY KEY (org_id, id);


--
-- Name: organizations organizations_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.organizations
    ADD CONSTRAINT organizations_pkey PRIMARY KEY (id);


--
-- Name: persons persons_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.persons
    ADD CONSTRAINT persons_pkey PRIMARY KEY (org_id, id);


--
-- Name: schema_migrations schema_migrations_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.schema_migrations
    ADD CONSTRAINT schema_migrations_pkey PRIMARY KEY (name);


--
-- Name: signing_keys signing_keys_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.signing_keys
    ADD CONSTRAINT signing_keys_pkey PRIMARY KEY (org_id, kid);


--
-- Name: test_event_allowances test_event_allowances_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.test_event_allowances
    ADD CONSTRAINT test_event_allowances_pkey PRIMARY KEY (org_id);


--
-- Name: triggers triggers_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.triggers
    ADD CONSTRAINT triggers_pkey PRIMARY KEY (org_id, webhook_id, type, name);


--
-- Name: webhooks webhooks_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.webhooks
    ADD CONSTRAINT webhooks_pkey PRIMARY KEY (org_id, id);


--
-- Name: workers workers_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.workers
    ADD CONSTRAINT workers_pkey PRIMARY KEY (id);


--
-- Name: api_keys_by_hash; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX api_keys_by_hash ON public.api_keys USING btree (org_id, key_hash);


--
-- Name: applications_by_origin; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX applications_by_origin ON public.applications USING gin (public.origins_of(redirect_uris));


--
-- Name: deliveries_available; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX deliveries_available ON public.deliveries USING btree (org_id, webhook_id, public.priority_in_lane(trigger_name), available_at) WHERE (NOT is_leased);


--
-- Name: deliveries_leased; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX deliveries_leased ON public.deliveries USING btree (available_at) WHERE is_leased;


--
-- Name: delivery_counts_by_day; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX delivery_counts_by_day ON public.delivery_counts USING btree (day);


--
-- Name: finished_deliveries_unsuccessful_by_time; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX finished_deliveries_unsuccessful_by_time ON ONLY public.finished_deliveries USING btree (finished_at) WHERE (status <> 'succeeded'::text);


--
-- Name: finished_deliveries_20261125_finished_at_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX finished_deliveries_20261125_finished_at_idx ON public.finished_deliveries_20261125 USING btree (finished_at) WHERE (status <> 'succeeded'::text);


--
-- Name: finished_deliveries_unsuccessful; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX finished_deliveries_unsuccessful ON ONLY public.finished_deliveries USING btree (org_id, webhook_id, status, event_id) WHERE (status <> 'succeeded'::text);


--
-- Name: finished_deliveries_20261125_org_id_webhook_id_status_event_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX finished_deliveries_20261125_org_id_webhook_id_status_event_idx ON public.finished_deliveries_20261125 USING btree (org_id, webhook_id, status, event_id) WHERE (status <> 'succeeded'::text);


--
-- Name: flows_by_expiry; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX flows_by_expiry ON public.flows USING btree (expires_at);


--
-- Name: flows_by_interaction; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX flows_by_interaction ON public.flows USING btree (org_id, interaction_uid);


--
-- Name: flows_by_state; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX flows_by_state ON public.flows USING btree (org_id, state_hash) WHERE (state_hash IS NOT NULL);


--
-- Name: former_identities_by_person; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX former_identities_by_person ON public.former_identities USING btree (org_id, person_id, issuer);


--
-- Name: handles_by_person; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX handles_by_person ON public.handles USING btree (org_id, person_id);


--
-- Name: identities_by_person; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX identities_by_person ON public.identities USING btree (org_id, person_id, issuer);


--
-- Name: identities_by_subject; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX identities_by_subject ON public.identities USING btree (org_id, provider, issuer, subject);


--
-- Name: issuer_grants_by_expiry; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX issuer_grants_by_expiry ON public.issuer_grants USING btree (expires_at);


--
-- Name: issuer_grants_by_person; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX issuer_grants_by_person ON public.issuer_grants USING btree (org_id, person_id);


--
-- Name: issuer_grants_by_session; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX issuer_grants_by_session ON public.issuer_grants USING btree (org_id, session_uid) WHERE (session_uid IS NOT NULL);


--
-- Name: issuer_interactions_by_expiry; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX issuer_interactions_by_expiry ON public.issuer_interactions USING btree (expires_at);


--
-- Name: issuer_interactions_by_person; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX issuer_interactions_by_person ON public.issuer_interactions USING btree (org_id, person_id) WHERE (person_id IS NOT NULL);


--
-- Name: issuer_keys_by_age; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX issuer_keys_by_age ON public.issuer_keys USING btree (signs_from) WHERE (withdrawn_at IS NULL);


--
-- Name: issuer_keys_current; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX issuer_keys_current ON public.issuer_keys USING btree (org_id, alg) WHERE ((signs_from IS NOT NULL) AND (withdrawn_at IS NULL));


--
-- Name: issuer_keys_next; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX issuer_keys_next ON public.issuer_keys USING btree (org_id, alg) WHERE (signs_from IS NULL);


--
-- Name: issuer_keys_withdrawn; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX issuer_keys_withdrawn ON public.issuer_keys USING btree (withdrawn_at) WHERE (withdrawn_at IS NOT NULL);


--
-- Name: issuer_sessions_by_expiry; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX issuer_sessions_by_expiry ON public.issuer_sessions USING btree (expires_at);


--
-- Name: issuer_sessions_by_id; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX issuer_sessions_by_id ON public.issuer_sessions USING btree (org_id, id_hash);


--
-- Name: issuer_sessions_by_person; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX issuer_sessions_by_person ON public.issuer_sessions USING btree (org_id, person_id);


--
-- Name: issuer_tokens_by_expiry; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX issuer_tokens_by_expiry ON public.issuer_tokens USING btree (expires_at);


--
-- Name: issuer_tokens_by_grant; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX issuer_tokens_by_grant ON public.issuer_tokens USING btree (org_id, grant_id);


--
-- Name: lanes_due; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX lanes_due ON public.lanes USING btree (healthy, ((failing AND (NOT healthy))), next_due_at) WHERE (paused_reason IS NULL);


--
-- Name: memberships_by_group; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX memberships_by_group ON public.memberships USING btree (org_id, group_name, person_id);


--
-- Name: oidc_credentials_by_client_id; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX oidc_credentials_by_client_id ON public.oidc_credentials USING btree (org_id, client_id);


--
-- Name: organizations_deleted; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX organizations_deleted ON public.organizations USING btree (deleted_at) WHERE (deleted_at IS NOT NULL);


--
-- Name: signing_keys_by_age; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX signing_keys_by_age ON public.signing_keys USING btree (signs_from) WHERE (withdrawn_at IS NULL);


--
-- Name: signing_keys_current; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX signing_keys_current ON public.signing_keys USING btree (org_id) WHERE ((signs_from IS NOT NULL) AND (withdrawn_at IS NULL));


--
-- Name: signing_keys_next; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX signing_keys_next ON public.signing_keys USING btree (org_id) WHERE (signs_from IS NULL);


--
-- Name: signing_keys_withdrawn; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX signing_keys_withdrawn ON public.signing_keys USING btree (withdrawn_at) WHERE (withdrawn_at IS NOT NULL);


--
-- Name: triggers_by_name; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX triggers_by_name ON public.triggers USING btree (name, org_id, webhook_id);


--
-- Name: webhooks_by_target; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX webhooks_by_target ON public.webhooks USING btree (org_id, target_key) WHERE (target_key <> ''::text);


--
-- Name: events_20261125_pkey; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.events_pkey ATTACH PARTITION public.events_20261125_pkey;


--
-- Name: finished_deliveries_20261125_finished_at_idx; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.finished_deliveries_unsuccessful_by_time ATTACH PARTITION public.finished_deliveries_20261125_finished_at_idx;


--
-- Name: finished_deliveries_20261125_org_id_webhook_id_status_event_idx; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.finished_deliveries_unsuccessful ATTACH PARTITION public.finished_deliveries_20261125_org_id_webhook_id_status_event_idx;


--
-- Name: finished_deliveries_20261125_pkey; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.finished_deliveries_pkey ATTACH PARTITION public.finished_deliveries_20261125_pkey;


--
-- Name: api_keys api_keys_org_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_org_id_fkey FOREIGN KEY (org_id) REFERENCES public.organizations(id);


--
-- Name: applications applications_org_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.applications
    ADD CONSTRAINT applications_org_id_fkey FOREIGN KEY (org_id) REFERENCES public.organizations(id);


--
-- Name: flows flows_org_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.flows
    ADD CONSTRAINT flows_org_id_fkey FOREIGN KEY (org_id) REFERENCES public.organizations(id);


--
-- Name: former_identities former_identities_org_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.former_identities
    ADD CONSTRAINT former_identities_org_id_fkey FOREIGN KEY (org_id) REFERENCES public.organizations(id);


--
-- Name: groups groups_org_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.groups
    ADD CONSTRAINT groups_org_id_fkey FOREIGN KEY (org_id) REFERENCES public.organizations(id);


--
-- Name: handles handles_org_id_person_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.handles
    ADD CONSTRAINT handles_org_id_person_id_fkey FOREIGN KEY (org_id, person_id) REFERENCES public.persons(org_id, id) ON DELETE CASCADE;


--
-- Name: identities identities_org_id_person_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.identities
    ADD CONSTRAINT identities_org_id_person_id_fkey FOREIGN KEY (org_id, person_id) REFERENCES public.persons(org_id, id) ON DELETE CASCADE;


--
-- Name: issuer_grants issuer_grants_org_id_person_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.issuer_grants
    ADD CONSTRAINT issuer_grants_org_id_person_id_fkey FOREIGN KEY (org_id, person_id) REFERENCES public.persons(org_id, id) ON DELETE CASCADE;


--
-- Name: issuer_grants issuer_grants_org_id_session_uid_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.issuer_grants
    ADD CONSTRAINT issuer_grants_org_id_session_uid_fkey FOREIGN KEY (org_id, session_uid) REFERENCES public.issuer_sessions(org_id, uid) ON DELETE CASCADE;


--
-- Name: issuer_interactions issuer_interactions_org_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.issuer_interactions
    ADD CONSTRAINT issuer_interactions_org_id_fkey FOREIGN KEY (org_id) REFERENCES public.organizations(id);


--
-- Name: issuer_interactions issuer_interactions_org_id_person_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.issuer_interactions
    ADD CONSTRAINT issuer_interactions_org_id_person_id_fkey FOREIGN KEY (org_id, person_id) REFERENCES public.persons(org_id, id) ON DELETE CASCADE;


--
-- Name: issuer_keys issuer_keys_org_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.issuer_keys
    ADD CONSTRAINT issuer_keys_org_id_fkey FOREIGN KEY (org_id) REFERENCES public.organizations(id);


--
-- Name: issuer_sessions issuer_sessions_org_id_person_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.issuer_sessions
    ADD CONSTRAINT issuer_sessions_org_id_person_id_fkey FOREIGN KEY (org_id, person_id) REFERENCES public.persons(org_id, id) ON DELETE CASCADE;


--
-- Name: issuer_tokens issuer_tokens_org_id_grant_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.issuer_tokens
    ADD CONSTRAINT issuer_tokens_org_id_grant_id_fkey FOREIGN KEY (org_id, grant_id) REFERENCES public.issuer_grants(org_id, id) ON DELETE CASCADE;


--
-- Name: lanes lanes_org_id_webhook_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.lanes
    ADD CONSTRAINT lanes_org_id_webhook_id_fkey FOREIGN KEY (org_id, webhook_id) REFERENCES public.webhooks(org_id, id) ON DELETE CASCADE;


--
-- Name: memberships memberships_org_id_group_name_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.memberships
    ADD CONSTRAINT memberships_org_id_group_name_fkey FOREIGN KEY (org_id, group_name) REFERENCES public.groups(org_id, name) ON DELETE CASCADE;


--
-- Name: memberships memberships_org_id_person_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.memberships
    ADD CONSTRAINT memberships_org_id_person_id_fkey FOREIGN KEY (org_id, person_id) REFERENCES public.persons(org_id, id) ON DELETE CASCADE;


--
-- Name: oidc_credentials oidc_credentials_org_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.oidc_credentials
    ADD CONSTRAINT oidc_credentials_org_id_fkey FOREIGN KEY (org_id) REFERENCES public.organizations(id);


--
-- Name: persons persons_org_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.persons
    ADD CONSTRAINT persons_org_id_fkey FOREIGN KEY (org_id) REFERENCES public.organizations(id);


--
-- Name: signing_keys signing_keys_org_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.signing_keys
    ADD CONSTRAINT signing_keys_org_id_fkey FOREIGN KEY (org_id) REFERENCES public.organizations(id);


--
-- Name: test_event_allowances test_event_allowances_org_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.test_event_allowances
    ADD CONSTRAINT test_event_allowances_org_id_fkey FOREIGN KEY (org_id) REFERENCES public.organizations(id);


--
-- Name: triggers triggers_org_id_webhook_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.triggers
    ADD CONSTRAINT triggers_org_id_webhook_id_fkey FOREIGN KEY (org_id, webhook_id) REFERENCES public.webhooks(org_id, id) ON DELETE CASCADE;


--
-- Name: webhooks webhooks_org_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.webhooks
    ADD CONSTRAINT webhooks_org_id_fkey FOREIGN KEY (org_id) REFERENCES public.organizations(id);


--
-- PostgreSQL database dump complete
--

\unrestrict JUJjiJhR9vH1Bpuu7t5drObzWrgTyKWmcP7TjaUg2O5PzjHUdpUoKciGKEvaMBa

