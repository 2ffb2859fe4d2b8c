{{- define "roadstead.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" }}
{{- end }}

{{/* Room for the longest suffix, `-control-plane`, in the 63 characters of a name. */}}
{{- define "roadstead.fullname" -}}
{{- if .Values.fullnameOverride }}
{{- .Values.fullnameOverride | trunc 45 | trimSuffix "-" }}
{{- else if contains (include "roadstead.name" .) .Release.Name }}
{{- .Release.Name | trunc 45 | trimSuffix "-" }}
{{- else }}
{{- printf "%s-%s" .Release.Name (include "roadstead.name" .) | trunc 45 | trimSuffix "-" }}
{{- end }}
{{- end }}

{{- define "roadstead.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" }}
app.kubernetes.io/name: {{ include "roadstead.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/part-of: roadstead
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{/* Called with the root and the name of a component. */}}
{{- define "roadstead.selector" -}}
app.kubernetes.io/name: {{ include "roadstead.name" .root }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end }}

{{- define "roadstead.image" -}}
{{- with .Values.image -}}
{{ .repository }}{{ if .digest }}@{{ .digest }}{{ else }}:{{ default $.Chart.AppVersion .tag }}{{ end }}
{{- end -}}
{{- end }}

{{- define "roadstead.pullSecrets" -}}
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
{{- end }}

{{/* Where agents run: not beside the secrets and volumes of the data plane. */}}
{{- define "roadstead.agentsNamespace" -}}
{{ default (printf "%s-agents" .Release.Namespace | trunc 63) .Values.dataPlane.agents.namespace }}
{{- end }}

{{/* All namespaces of agents, separated by commas: the first is for deployments that name none. */}}
{{- define "roadstead.agentsNamespaces" -}}
{{ concat (list (include "roadstead.agentsNamespace" . | trim)) .Values.dataPlane.agents.furtherNamespaces | uniq | join "," }}
{{- end }}

{{- define "roadstead.keys" -}}
{{ default (printf "%s-keys" (include "roadstead.fullname" .)) .Values.keys.existingSecret }}
{{- end }}

{{- define "roadstead.listenerKeySecret" -}}
{{ default (include "roadstead.keys" .) .Values.dataPlane.listenerKeySecret }}
{{- end }}

{{- define "roadstead.hostsSecret" -}}
{{ default (printf "%s-hosts" (include "roadstead.fullname" .)) .Values.dataPlane.hosts.existingSecret }}
{{- end }}

{{- define "roadstead.edgeUrl" -}}
http://{{ include "roadstead.fullname" . }}-edge.{{ .Release.Namespace }}.svc:{{ .Values.service.port }}
{{- end }}

{{- define "roadstead.url" -}}
{{ default (include "roadstead.edgeUrl" .) .Values.url | trimSuffix "/" }}
{{- end }}

{{/* Whether a pod of the platform is replaced while another one serves: not where its volume is mounted by one at a time. */}}
{{- define "roadstead.isRolled" -}}
{{- $volume := or (not .Values.platform.blobs.url) .Values.platform.blobs.readVolume }}
{{- if or (gt (int .Values.platform.replicas) 1) (not $volume) }}yes{{ end }}
{{- end }}

{{- define "roadstead.serviceUrl" -}}
http://{{ include "roadstead.fullname" .root }}-{{ .service }}.{{ .root.Release.Namespace }}.svc:{{ .port }}
{{- end }}

{{/* The restricted profile of Pod Security, and a root that nobody writes to. */}}
{{- define "roadstead.podSecurity" -}}
securityContext:
  runAsNonRoot: true
  {{- toYaml .Values.podSecurityContext | nindent 2 }}
  seccompProfile: { type: RuntimeDefault }
{{- end }}

{{- define "roadstead.containerSecurity" -}}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  runAsNonRoot: true
  capabilities: { drop: [ALL] }
{{- end }}

{{/* Called with a map of variables. */}}
{{- define "roadstead.env" -}}
{{- range $name, $value := . }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- end }}

{{- define "roadstead.keyEnv" -}}
- name: {{ .env }}
  valueFrom: { secretKeyRef: { name: {{ .secret }}, key: {{ .key }} } }
{{- end }}

{{/* Where a service keeps its blobs: in the bucket, or in a folder of the volume. */}}
{{- define "roadstead.blobsEnv" -}}
{{- $folder := printf "/var/lib/roadstead/%s" .folder -}}
{{- if .blobs.url -}}
- { name: ROADSTEAD_BLOBS_URL, value: {{ .blobs.url | quote }} }
{{- if .blobs.readVolume }}
- { name: ROADSTEAD_FORMER_BLOBS_URL, value: {{ printf "file:%s" $folder | quote }} }
{{- end }}
{{- range $env, $value := dict "ROADSTEAD_S3_ENDPOINT" .blobs.endpoint "ROADSTEAD_S3_PUBLIC_ENDPOINT" .blobs.publicEndpoint "AWS_REGION" .blobs.region }}
{{- if $value }}
- { name: {{ $env }}, value: {{ $value | quote }} }
{{- end }}
{{- end }}
{{- if .blobs.existingSecret }}
{{- range $key := list "AWS_ACCESS_KEY_ID" "AWS_SECRET_ACCESS_KEY" }}
{{ include "roadstead.keyEnv" (dict "env" $key "secret" $.blobs.existingSecret "key" $key) }}
{{- end }}
{{- end }}
{{- else -}}
- { name: ROADSTEAD_DATA_DIR, value: {{ $folder }} }
{{- end }}
{{- end }}

{{/* What is trusted beside the authorities that are generally known: as a variable of Node, as a mount and as a volume. */}}
{{- define "roadstead.caEnv" -}}
{{- if or .Values.caBundle.configMap .Values.caBundle.secret }}
- { name: NODE_EXTRA_CA_CERTS, value: /etc/roadstead/ca/ca.crt }
{{- end }}
{{- end }}

{{- define "roadstead.caMount" -}}
{{- if or .Values.caBundle.configMap .Values.caBundle.secret }}
- { name: ca, mountPath: /etc/roadstead/ca, readOnly: true }
{{- end }}
{{- end }}

{{- define "roadstead.caVolume" -}}
{{- with .Values.caBundle }}
{{- if .configMap }}
- name: ca
  configMap: { name: {{ .configMap }}, items: [{ key: {{ .key }}, path: ca.crt }] }
{{- else if .secret }}
- name: ca
  secret: { secretName: {{ .secret }}, items: [{ key: {{ .key }}, path: ca.crt }] }
{{- end }}
{{- end }}
{{- end }}

{{/* A service that waits for another one is not ready, and need not be started again for that. */}}
{{- define "roadstead.okProbes" -}}
startupProbe:
  tcpSocket: { port: {{ . }} }
  periodSeconds: 2
  failureThreshold: 90
readinessProbe:
  httpGet: { path: /ok, port: {{ . }} }
  periodSeconds: 5
  timeoutSeconds: 5
livenessProbe:
  tcpSocket: { port: {{ . }} }
  periodSeconds: 10
  timeoutSeconds: 5
  failureThreshold: 6
{{- end }}

{{- define "roadstead.spread" -}}
{{- if .root.Values.topologySpread.enabled }}
topologySpreadConstraints:
  {{- range list "kubernetes.io/hostname" "topology.kubernetes.io/zone" }}
  - maxSkew: 1
    topologyKey: {{ . }}
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels:
        app.kubernetes.io/name: {{ include "roadstead.name" $.root }}
        app.kubernetes.io/instance: {{ $.root.Release.Name }}
  {{- end }}
{{- end }}
{{- end }}

{{/* Where a pod may run: called with the values of its component. */}}
{{- define "roadstead.placement" -}}
{{- with .nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .affinity }}
affinity: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{/* Postgres as an address: called with the root, a variable, and which of the three it is. */}}
{{- define "roadstead.database" -}}
{{- $p := .root.Values.postgres -}}
{{- if $p.cloudNativePg.enabled }}
{{- $secret := printf "%s-postgres-app" (include "roadstead.fullname" .root) }}
- name: PGUSER_OF_CLUSTER
  valueFrom: { secretKeyRef: { name: {{ $secret }}, key: username } }
- name: PGPASSWORD_OF_CLUSTER
  valueFrom: { secretKeyRef: { name: {{ $secret }}, key: password } }
- name: {{ .env }}
  value: postgres://$(PGUSER_OF_CLUSTER):$(PGPASSWORD_OF_CLUSTER)@{{ include "roadstead.fullname" .root }}-postgres-rw.{{ .root.Release.Namespace }}.svc:5432/{{ ternary "roadstead_traces" "roadstead" (eq .which "traces") }}
{{- else }}
- name: {{ .env }}
  valueFrom: { secretKeyRef: { name: {{ $p.existingSecret }}, key: {{ get $p.keys .which }} } }
{{- end }}
{{- end }}

{{/* What values must say together. */}}
{{- define "roadstead.check" -}}
{{- if and (not .Values.postgres.existingSecret) (not .Values.postgres.cloudNativePg.enabled) }}
{{- fail "postgres: name a Secret with the addresses of PostgreSQL in postgres.existingSecret, or set postgres.cloudNativePg.enabled." }}
{{- end }}
{{- if not .Values.platform.enabled }}
{{- range $key, $value := dict "dataPlane.controlPlane.url" .Values.dataPlane.controlPlane.url "dataPlane.controlPlane.listenerId" .Values.dataPlane.controlPlane.listenerId "dataPlane.listenerKeySecret" .Values.dataPlane.listenerKeySecret "dataPlane.agentUrl" .Values.dataPlane.agentUrl }}
{{- if not $value }}
{{- fail (printf "%s: a data plane without a platform needs it; `roadstead listener join` prints it." $key) }}
{{- end }}
{{- end }}
{{- end }}
{{- if and .Values.caBundle.configMap .Values.caBundle.secret }}
{{- fail "caBundle: it is in a ConfigMap or in a Secret; name one of them." }}
{{- end }}
{{- if and .Values.dataPlane.databases.cloudNativePg.enabled (ne .Values.dataPlane.compute "cluster") }}
{{- fail "dataPlane.databases.cloudNativePg: these servers are for agents in pods (dataPlane.compute: cluster)." }}
{{- end }}
{{- if and .Values.ingress.enabled .Values.gateway.enabled }}
{{- fail "ingress, gateway: only one of them can be enabled." }}
{{- end }}
{{- end }}
