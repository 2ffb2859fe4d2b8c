# Tries from within a build what an agent tries later; what it prints becomes a part of the artifact.
echo "user $(id -u)"
# The data folder lies above the folder that is built.
data=$(dirname "$(dirname "$(dirname "$(pwd)")")")
ls "$data"
cat "$data"/* "$data"/postgres/cluster/password
cat /proc/*/environ | tr '\0' '\n'
for path in "$data/written" "$data/artifacts/written" /written /usr/written "$HOME/../written"; do
  echo hostile > "$path" && echo "written $path"
done
echo hostile > "$HOME/written" && echo 'home written'
setsid sleep 86400.25 &
sleep 1
